import { createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import Negotiator from 'negotiator';
import type { NamedDocument } from '../../graphql/admission/documents.ts';
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

/** The calls of all agents together: this part of the platform's limit, or so many a minute without one. Most of it is left to users. */
const SHARE = 0.25;
const CALLS_PER_MINUTE = 300;
/** An answer is parsed and written again, which holds up all other requests. */
const MAX_ANSWER_LENGTH = 1_000_000;

/** Adds `/mcp`, and with tokens of an identity provider the metadata that lead clients there. */
export function openMcp(gateway: Gateway, kinds: readonly string[]): void {
  const { settings, dialect, version, graph, documents, log, http } = gateway;
  const hasTokens = credentialsOf(settings) === 'token';
  const held = new WeakMap<
    readonly NamedDocument[],
    { readonly schema: GraphQLSchema; readonly tools: Tools }
  >();
  const toolsOf = (caller: Caller): Tools => {
    const { schema, prepared } = graph.current();
    const trusted = (caller.documents ?? documents).trusted();
    const known = held.get(trusted);
    if (known?.schema === schema) return known.tools;
    const tools = createTools(trusted, {
      schema,
      prepared,
      dialect,
      maxCalls: settings.COST_MAX_CALLS,
      kinds,
    });
    held.set(trusted, { schema, tools });
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
      const { rights } = arrived.caller.scope;
      const tools = toolsOf(arrived.caller);
      const isListed: ToolServerOptions['isListed'] = ({ operation: { selected } }) =>
        !rights?.findRefusals(selected, undefined).length;
      const type = new Negotiator(request).mediaType(TYPES);
      const handler = createMcpHandler(() => createToolServer({ version, tools, isListed, run }), {
        maxSubscriptions: 0,
        responseMode: type === STREAM_TYPE ? 'sse' : 'auto',
        onerror: (err) =>
          log.debug({ ...arrived.current.ids, err }, 'an MCP client sent an invalid message'),
      });
      // The package refuses a client that does not take both types; we need only one of them.
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
/** The types of an answer. A client that takes both gets JSON. */
const TYPES = [JSON_TYPE, STREAM_TYPE];

/** RFC 9728. */
const METADATA = '/.well-known/oauth-protected-resource/mcp';
const originOf = ({ protocol, host }: FastifyRequest): string => `${protocol}://${host}`;

type Arrived = Parameters<CallerRoute['handle']>[2];

/** Makes what runs tools on behalf of a caller, within the calls of agents. */
function createRuns({ settings, observers, callBuckets }: Gateway) {
  const limit = stricterOf(settings);
  const calls = limit === undefined ? CALLS_PER_MINUTE : limit * SHARE;
  const bucketsOf = createShares({
    name: 'mcp',
    shares: new Map([['mcp', { of: 'tools', calls }]]),
  });
  return ({ caller, current, work }: Arrived): RunTool => {
    const { key, scope, session, clearRefusedCookie } = caller;
    const takeCall = () => callBuckets.take(bucketsOf('mcp', key));
    const described = { ids: current.ids, client: { name: 'mcp' }, origin: { way: 'mcp' } };
    return async ({ operation }, variables) => {
      const shortage = await takeCall();
      if (shortage) return { errors: [limitExceeded(shortage)] };
      const context = createContext({ ...described, work, scope, session, observers });
      const { body, report } = await answerOperation(operation, variables, context);
      clearRefusedCookie?.();
      observers.operation(report, current);
      // A tool counts as its calls, and as one at least. Nobody waits for the counting, which may go to Redis.
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

/** Its address says nothing to the package, and a client's `Host` may be no part of one. */
const toRequest = (request: FastifyRequest, accept: string | undefined): Request =>
  new Request('http://localhost/mcp', {
    method: request.method,
    headers: Object.entries({ ...request.headers, accept }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    ),
  });

/** Sends the package's response in the negotiated type. It has one message, also as a stream. */
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
