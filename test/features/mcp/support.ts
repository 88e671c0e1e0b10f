import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { writeFolder } from '../../support/folder.ts';
import type { Definition } from '../../support/form-platform.ts';
import { startGateway } from '../../support/gateway.ts';

export const EXAMPLES = 'examples/mcp/documents';

/** Starts a gateway with a sandbox, whose tools are the sample documents unless the settings say otherwise. */
export async function startMcp(env: Readonly<Record<string, string>> = {}, onLogLine?: (line: string) => void) {
  const gateway = await startGateway({ MCP: 'all', TYPED_FORMS: '*', DOCUMENTS: EXAMPLES, ...env }, onLogLine);
  onTestFinished(gateway.close);
  return gateway;
}

/** Writes documents for `DOCUMENTS`. */
export const writeDocuments = (...texts: readonly string[]): string =>
  writeFolder(Object.fromEntries(texts.map((text, index) => [`${index}.graphql`, text])));

interface ClientOptions {
  /** What a person answers; clients that cannot ask one have none. */
  readonly onAsked?: (message: string) => {
    readonly action: 'accept' | 'decline';
    readonly content?: { confirm: boolean };
  };
  /** Is told that the tools are others. */
  readonly onChanged?: () => void;
  readonly protocol?: 'auto' | 'legacy';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sees each request's body, and may change the response. */
  readonly fetch?: typeof fetch;
}

/** Makes the official client; it ends with the test. */
export function createClient({ onAsked, onChanged, protocol = 'auto' }: ClientOptions = {}): Client {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode: protocol },
      capabilities: onAsked ? { elicitation: {} } : {},
      ...(onChanged && { listChanged: { tools: { onChanged, autoRefresh: false } } }),
    },
  );
  if (onAsked) client.setRequestHandler('elicitation/create', async ({ params }) => onAsked(params.message));
  onTestFinished(() => client.close());
  return client;
}

/** Connects the official client over HTTP. */
export async function connect(url: string, options: ClientOptions = {}): Promise<Client> {
  const client = createClient(options);
  const { headers = {}, fetch: fetchWith = fetch } = options;
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers },
    fetch: fetchWith,
  });
  await client.connect(transport);
  return client;
}

export const CONFIRMED = () => ({ action: 'accept' as const, content: { confirm: true } });
export const REQUEST = { title: 'A lamp', amount: '12.50', quantity: 1, requesterId: '3' };

interface Message {
  readonly method: string;
  readonly params: { readonly arguments: Record<string, unknown>; requestState?: string };
}

/** Keeps the requests that confirm a tool, each with its headers, and gives a way to send one again. */
export function createRecorder() {
  const confirmed: { init: RequestInit; message: Message }[] = [];
  return {
    confirmed,
    fetch: (async (input: string, init: RequestInit = {}) => {
      const message = init.body ? JSON.parse(String(init.body)) : {};
      if (message.params?.requestState) confirmed.push({ init, message });
      return fetch(input, init);
    }) as typeof fetch,
    async send(
      url: string,
      change: (message: Message) => void = () => undefined,
      headers: Record<string, string> = {},
    ) {
      const [{ init, message } = { init: {}, message: {} as Message }] = confirmed;
      const copy = structuredClone(message);
      change(copy);
      const merged = new Headers(init.headers);
      for (const [name, value] of Object.entries(headers)) merged.set(name, value);
      const response = await fetch(`${url}/mcp`, { ...init, headers: merged, body: JSON.stringify(copy) });
      return JSON.parse(await response.text()).result;
    },
  };
}

/** The form `thing`, with texts of these names. */
export const formOf = (...names: readonly string[]): Definition => ({
  idForm: 'thing',
  fields: names.map((name) => ({ name, type: 'text' })),
});
