import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { writeFolder } from '../../support/folder.ts';
import { type Env, startGateway } from '../../support/gateway.ts';

export const EXAMPLES = 'examples/mcp/documents';

/**
 * Starts a gateway with a sandbox, whose tools are the sample documents unless the settings say
 * otherwise.
 */
export const startMcp = (env: Env = {}) =>
  startGateway({ MCP: 'all', TYPED_FORMS: '*', DOCUMENTS: EXAMPLES, ...env });

/** Starts it, and connects a client. */
export async function startConnected(env: Env = {}, options: ClientOptions = {}) {
  const gateway = await startMcp(env);
  return { ...gateway, client: await connect(gateway.url, options) };
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

/** Connects the official client over HTTP; it ends with the test. */
export async function connect(
  url: string,
  { protocol = 'auto', headers = {}, fetch: fetchWith = fetch }: ClientOptions = {},
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: protocol } },
  );
  onTestFinished(() => client.close());
  const options = { requestInit: { headers }, fetch: fetchWith };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), options));
  return client;
}

export const REQUEST = { title: 'A lamp', amount: '12.50', quantity: 1, requesterId: '3' };
