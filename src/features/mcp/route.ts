import { createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { NamedDocument } from '../../graphql/admission/documents.ts';
import type { SchemaVersion } from '../../graphql/apollo-server.ts';
import { createContext } from '../../graphql/context.ts';
import { answerOperation } from '../../graphql/operations.ts';
import type { Caller } from '../../http/auth/identity.ts';
import { credentialsOf } from '../../http/auth/modes.ts';
import { limitExceeded, RequestError } from '../../http/errors.ts';
import type { CallerRoute } from '../../http/graphql-route.ts';
import { createShares } from '../../upstream/call-buckets.ts';
import { stricterOf } from '../../upstream/call-budget.ts';
import type { Gateway } from '../feature.ts';
import { createToolServer, type RunTool, type ToolServerOptions } from './server.ts';
import { createTools, type Tools } from './tools.ts';

/**
 * The calls of all agents together: this share of the platform's limit, or this number per minute
 * if there is no limit. The rest is for users.
 */
const SHARE = 0.25;
const CALLS_PER_MINUTE = 300;
/**
 * The maximum length of an answer, in characters. Parsing and writing it again blocks all other
 * requests.
 */
const MAX_ANSWER_LENGTH = 1_000_000;

/**
 * Adds `/mcp`. With tokens of an identity provider, it also adds the metadata that name the
 * provider to clients.
 */
export function openMcp(gateway: Gateway, kinds: readonly string[]): void {
  const { settings, dialect, version, graph, documents, log, http } = gateway;
  const hasTokens = credentialsOf(settings) === 'token';
  const held = new WeakMap<
    readonly NamedDocument[],
    { readonly version: SchemaVersion; readonly tools: Promise<Tools> }
  >();
  const toolsOf = (caller: Caller): Promise<Tools> => {
    const current = graph.current();
    const trusted = (caller.documents ?? documents).trusted();
    const known = held.get(trusted);
    if (known?.version === current) return known.tools;
    const tools = createTools(trusted, {
      version: current,
      dialect,
      maxCalls: settings.COST_MAX_CALLS,
      kinds,
    });
    held.set(trusted, { version: current, tools });
    return tools;
  };
  const runFor = createRuns(gateway);

  http.routes.push({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    async onSend(request, reply) {
      const challenge = reply.getHeader('www-authenticate');
      if (!hasTokens || !challenge) return;
      const separator = String(challenge).includes('=') ? ',' : '';
      reply.header(
        'www-authenticate',
        `${challenge}${separator} resource_metadata="${originOf(request)}${METADATA}"`,
      );
    },
    async handle(request, reply, arrived) {
      if (Array.isArray(request.body))
        throw new RequestError(400, 'Send one JSON-RPC message in a request.');
      const run = runFor(arrived);
      const { permissions } = arrived.caller.scope;
      const tools = await toolsOf(arrived.caller);
      const isListed: ToolServerOptions['isListed'] = ({ operation: { selected } }) =>
        !permissions?.findRefusals(selected, undefined).length;
      const type = new Negotiator(request).mediaType(TYPES);
      const handler = createMcpHandler(() => createToolServer({ version, tools, isListed, run }), {
        maxSubscriptions: 0,
        responseMode: type === STREAM_TYPE ? 'sse' : 'auto',
        onerror: (err) =>
          log.debug({ ...arrived.current.ids, err }, 'an MCP client sent an invalid message'),
      });
      // The package rejects a client that does not accept both types. One of them is enough here.
      const accept = type === undefined ? request.headers.accept : TYPES.join();
      const response = await handler.fetch(toRequest(request, accept), {
        parsedBody: request.body,
      });
      return send(response, type, reply);
    },
  });
  if (!hasTokens) return;
  const { CALLER_JWT_AUDIENCE: audience = '', CALLER_JWT_ISSUER: issuer } = settings;
  http.plugins.push(async (app) => {
    for (const url of [METADATA, METADATA.replace(/\/mcp$/, '')]) {
      app.get(url, async (request) => ({
        resource: URL.canParse(audience) ? audience : `${originOf(request)}/mcp`,
        authorization_servers: [issuer],
        bearer_methods_supported: ['header'],
      }));
    }
  });
}

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';
/** The response types. A client that accepts both gets JSON. */
const TYPES = [JSON_TYPE, STREAM_TYPE];

/** The path of the protected resource metadata, RFC 9728. */
const METADATA = '/.well-known/oauth-protected-resource/mcp';
const originOf = ({ protocol, host }: FastifyRequest): string => `${protocol}://${host}`;

type Arrived = Parameters<CallerRoute['handle']>[2];

/** Returns a function that runs tools for a caller, within the call limit of agents. */
function createRuns({ settings, observers, callBuckets }: Gateway) {
  const limit = stricterOf(settings);
  const calls = limit === undefined ? CALLS_PER_MINUTE : limit * SHARE;
  const bucketsOf = createShares({
    name: 'mcp',
    shares: new Map([['mcp', { of: 'tools', calls }]]),
  });
  return ({ caller, current, requestState }: Arrived): RunTool => {
    const { key, scope, session, clearRefusedCookie } = caller;
    const takeCall = () => callBuckets.take(bucketsOf('mcp', key));
    const described = {
      ids: current.ids,
      client: { name: 'mcp' },
      isFromOperator: true,
      origin: { way: 'mcp' },
    };
    return async ({ operation }, variables) => {
      const shortage = await takeCall();
      if (shortage) return { errors: [limitExceeded(shortage)] };
      const context = createContext({ ...described, requestState, scope, session, observers });
      const { body, report } = await answerOperation(operation, variables, context);
      clearRefusedCookie?.();
      observers.operation(report, current);
      // A tool counts as the number of its calls, and at least as one. The counting may go to
      // Redis, and the answer does not wait for it.
      for (let call = 1; call < report.upstreamCalls; call++) void takeCall();
      return body.length > MAX_ANSWER_LENGTH
        ? { errors: [tooLarge(body.length)] }
        : JSON.parse(body);
    };
  };
}

const tooLarge = (length: number) => ({
  message: `The answer has ${length} characters, and a tool gives ${MAX_ANSWER_LENGTH} at most. ${ADVICE}`,
  extensions: { code: 'ANSWER_TOO_LARGE' },
});
const ADVICE = 'What was changed is changed. Ask for fewer rows, or use a tool with fewer fields.';

/**
 * Converts the request for the package. The package ignores the URL, and a client's `Host` header
 * may not be valid in one.
 */
const toRequest = (request: FastifyRequest, accept: string | undefined): Request =>
  new Request('http://localhost/mcp', {
    method: request.method,
    headers: Object.entries({ ...request.headers, accept }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    ),
  });

/**
 * Sends the package's response in the negotiated type. It contains one message, even as a stream.
 */
async function send(response: Response, type: string | undefined, reply: FastifyReply) {
  reply.code(response.status);
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith(STREAM_TYPE);
  if (type === JSON_TYPE && isStream) {
    reply.header('content-type', JSON_TYPE);
    return /^data: (.*)$/m.exec(text)?.[1];
  }
  for (const [name, value] of response.headers) reply.header(name, value);
  return text || undefined;
}
