import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { writeFolder } from '../../support/folder.ts';
import type { Definition } from '../../support/form-platform.ts';
import { startGateway } from '../../support/gateway.ts';

export const EXAMPLES = 'examples/mcp/documents';

/** Starts a gateway with a sandbox, whose tools are the sample documents unless the settings say otherwise. */
export async function startMcp(env: Readonly<Record<string, string>> = {}, onLogLine?: (line: string) => void) {
  const gateway = await startGateway({ MCP: 'all', TYPED_FORMS: '*', DOCUMENTS: EXAMPLES, ...env }, onLogLine);
  return gateway;
}

/** Writes documents for `DOCUMENTS`. */
export const writeDocuments = (...texts: readonly string[]): string =>
  writeFolder(Object.fromEntries(texts.map((text, index) => [`${index}.graphql`, text])));

interface ClientOptions {
  readonly protocol?: 'auto' | 'legacy';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sees each request's body, and may change the response. */
  readonly fetch?: typeof fetch;
}

/** Makes the official client; it ends with the test. */
function createClient({ protocol = 'auto' }: ClientOptions = {}): Client {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: protocol } });
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

export const REQUEST = { title: 'A lamp', amount: '12.50', quantity: 1, requesterId: '3' };

/** The form `thing`, with texts of these names. */
export const formOf = (...names: readonly string[]): Definition => ({
  idForm: 'thing',
  fields: names.map((name) => ({ name, type: 'text' })),
});
