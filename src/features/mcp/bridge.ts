import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  type Result,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';

import { INSTRUCTIONS } from './server.ts';

export { serveStdio } from '@modelcontextprotocol/server/stdio';

type Members = Readonly<Record<string, unknown>>;

/** Where a gateway serves MCP. */
interface Remote {
  readonly url: string;
  /** The headers that authenticate to it. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The protocol by which a server without sessions can ask a person. */
const PROTOCOL = '2026-07-28';
const CLIENT = { name: 'caseway-stdio', version: PROTOCOL };

/** How often the tools are compared with those that the client has, in milliseconds. */
const WATCH_MS = 10_000;

/**
 * Makes a server that passes the requests of one client on to a gateway. What that asks, it asks its own client. A client that
 * has listed the tools is notified when they are others.
 */
export function createBridge({ url, headers }: Remote, version: string): Server {
  const info = { name: 'caseway', version };
  const server = new Server(info, { capabilities: { tools: { listChanged: true } }, instructions: INSTRUCTIONS });
  let listed: string | undefined;
  const pass = async (method: string, params: Members, request?: ServerContext['mcpReq']) => {
    // Newer clients say it with each request, others at the start.
    const envelope: Members = request?.envelope ?? {};
    const known = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
    const _meta = {
      [PROTOCOL_VERSION_META_KEY]: PROTOCOL,
      [CLIENT_INFO_META_KEY]: CLIENT,
      [CLIENT_CAPABILITIES_META_KEY]: known ?? {},
    };
    const { name } = params;
    const { result, error, errors } = await call(`${url}/mcp`, {
      method: 'POST',
      signal: request?.signal ?? null,
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
    if (result) return result;
    const [refusal] = errors ?? [];
    throw new ProtocolError(error?.code ?? INTERNAL, error?.message ?? refusal?.message ?? NO_ANSWER);
  };
  const watch = async () => {
    if (listed === undefined) return;
    const { tools } = await pass('tools/list', {});
    if (JSON.stringify(tools) === listed) return;
    listed = undefined;
    await server.sendToolListChanged();
  };
  // A gateway that does not answer says so when it is called.
  const watching = setInterval(() => watch().catch(() => undefined), WATCH_MS);
  server.onclose = () => clearInterval(watching);

  server.setRequestHandler('tools/list', async ({ params }, { mcpReq }) => {
    const { tools } = await pass('tools/list', { ...params }, mcpReq);
    listed = JSON.stringify(tools);
    return { tools } as never;
  });
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given } }, { mcpReq }) => {
    const { inputResponses } = mcpReq;
    const requestState = mcpReq.requestState<string>();
    const asked = { ...(inputResponses && { inputResponses }), ...(requestState && { requestState }) };
    const { _meta, ...result } = await pass('tools/call', { name, arguments: given, ...asked }, mcpReq);
    return result as never;
  });
  return server;
}

const INTERNAL = -32_603;
const NO_ANSWER =
  'The gateway gave no answer that can be read. See that it runs, has MCP on, and is at the address of --url. If you called a tool that changes data, read before you repeat it.';

/** @throws {ProtocolError} where no gateway answers, or something else does, such as a proxy. */
async function call(url: string, init: RequestInit): Promise<Reply> {
  try {
    // A redirect would take the key to another host.
    return (await (await fetch(url, { ...init, redirect: 'error' })).json()) as Reply;
  } catch {
    throw new ProtocolError(INTERNAL, NO_ANSWER);
  }
}

/** The answer of a gateway; `errors` where it refuses the request before it reads it. */
interface Reply {
  readonly result?: Result;
  readonly error?: { readonly code: number; readonly message: string };
  readonly errors?: readonly { readonly message: string }[];
}
