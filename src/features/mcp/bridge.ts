import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  type Result,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';

export { serveStdio } from '@modelcontextprotocol/server/stdio';

type Members = Readonly<Record<string, unknown>>;

/** Where a gateway serves MCP. */
export interface Remote {
  readonly url: string;
  /** What authenticates to it. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The protocol by which a server without sessions can ask a person. */
const PROTOCOL = '2026-07-28';
const CLIENT = { name: 'caseway-stdio', version: PROTOCOL };

/** Makes a server that passes the requests of one client on to a gateway. What that asks, it asks its own client. */
export function createBridge({ url, headers }: Remote, version: string): Server {
  const server = new Server({ name: 'caseway', version }, { capabilities: { tools: {} } });
  const pass = async (method: string, params: Members, { mcpReq: { envelope, signal } }: ServerContext) => {
    // Newer clients say it with each request, others at the start.
    const known = (envelope as Members | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
    const _meta = {
      [PROTOCOL_VERSION_META_KEY]: PROTOCOL,
      [CLIENT_INFO_META_KEY]: CLIENT,
      [CLIENT_CAPABILITIES_META_KEY]: known ?? {},
    };
    const { name } = params;
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': PROTOCOL,
        'mcp-method': method,
        ...(typeof name === 'string' && { 'mcp-name': name }),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    });
    const { result, error, errors } = (await response.json()) as Reply;
    if (result) return result;
    const [refusal] = errors ?? [];
    throw new ProtocolError(error?.code ?? -32_603, error?.message ?? refusal?.message ?? `HTTP ${response.status}`);
  };
  server.setRequestHandler('tools/list', async ({ params }, context) => {
    const { tools } = await pass('tools/list', { ...params }, context);
    return { tools } as never;
  });
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given } }, context) => {
    const { inputResponses } = context.mcpReq;
    const requestState = context.mcpReq.requestState<string>();
    const asked = { ...(inputResponses && { inputResponses }), ...(requestState && { requestState }) };
    const { _meta, ...result } = await pass('tools/call', { name, arguments: given, ...asked }, context);
    return result as never;
  });
  return server;
}

/** What a gateway answers; `errors` where it refuses the request before it reads it. */
interface Reply {
  readonly result?: Result;
  readonly error?: { readonly code: number; readonly message: string };
  readonly errors?: readonly { readonly message: string }[];
}
