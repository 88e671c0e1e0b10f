import { Agent, type Dispatcher, fetch } from 'undici';
import { toAbortError, toAbortSignal } from '../../core/abort.ts';
import { serverOf } from '../../core/observers.ts';
import { CallLimitError } from '../../core/work.ts';
import type { GatewayParts } from '../../feature.ts';
import type { OperationContext } from '../../graphql/context.ts';
import { type Context, ExtensionError, type Service, type ServiceOptions } from './extension.ts';
import type { LoadedExtension } from './load.ts';
import { checkRunning } from './views.ts';

/** Other services, as one extension calls them. */
export type Services = ReturnType<typeof createServices>;

const TIMEOUT_MS = 5_000;
const CONCURRENCY = 16;
const MAX_RESPONSE_BYTES = 8_388_608;

/** Opens no connection before the first call. */
export function createServices(
  { file, services = {} }: LoadedExtension,
  { log, observers }: Pick<GatewayParts, 'log' | 'observers'>,
) {
  const named = Object.entries(services).map(([name, service]) => ({ name, service, agent: createAgent(service) }));
  const others = createAgent({});

  /** A call by a resolver: it counts, and ends when its operation does. */
  async function call(operation: OperationContext, agent: Agent, url: string | URL, init: RequestInit = {}) {
    checkRunning(operation);
    operation.work.countExtensionCall(file);
    const ended = toAbortSignal(operation.work.signal);
    const signal = init.signal ? AbortSignal.any([ended, init.signal]) : ended;
    const outgoing = { name: file, target: 'service', method: init.method ?? 'GET', server: serverOf(url) } as const;
    const dispatcher = withinOrigin(agent, url);
    return observers.call(outgoing, async (ids) => {
      const headers = { ...ids, ...toObject(init.headers), ...UNCOMPRESSED };
      try {
        return await assertUncompressed(await send(url, { ...init, headers, signal, dispatcher }));
      } catch (error) {
        throw withAbort(error, operation);
      }
    });
  }

  function createService(operation: OperationContext, { name, service, agent }: (typeof named)[number]): Service {
    const { url: base, headers, timeoutMs = TIMEOUT_MS, errorCode = 'SERVICE_UNAVAILABLE' } = service;

    /** Applies `read` to an answer; all of it has to come in time. */
    async function get<T>(path: string, init: RequestInit, read: (answer: unknown) => T): Promise<T> {
      checkRunning(operation);
      const url = toUrl(base, path);
      const signals = [AbortSignal.timeout(timeoutMs), init.signal].filter((signal) => signal != null);
      try {
        const response = await call(operation, agent, url, {
          // Elsewhere than at `url`, nobody is to get the headers.
          redirect: 'manual',
          ...init,
          headers: { ...toObject(headers), ...toObject(init.headers) },
          signal: AbortSignal.any(signals),
        });
        if (!response.ok) throw new StatusError(response.status);
        return read(await response.json());
      } catch (error) {
        const known = withAbort(error, operation);
        if (known !== error || known instanceof CallLimitError) throw known;
        log.warn({ extension: file, service: name, ...operation.ids, err: error }, 'a service failed');
        const retryable = operation.operation?.kind === 'query';
        throw new ExtensionError(errorCode, `${name} gave no usable answer.`, { retryable, cause: error });
      }
    }

    return {
      json: <T>(path: string, init: RequestInit = {}) => get(path, init, (answer) => answer as T),
      graphql<T>(query: string, variables: object = {}) {
        const body = JSON.stringify({ query, variables });
        const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
        return get('', request, (answer) => dataOf(answer) as T);
      },
    };
  }

  return {
    fetchFor:
      (operation: OperationContext): Context['fetch'] =>
      (url, init) =>
        call(operation, others, url, init),
    /** Its `services`, by name. */
    of: (operation: OperationContext): Context['services'] =>
      Object.fromEntries(named.map((one) => [one.name, createService(operation, one)])),
    async close(): Promise<void> {
      await Promise.all([others, ...named.map(({ agent }) => agent)].map((agent) => agent.destroy()));
    },
  };
}

/** The connections of an agent to one origin are as many as calls may be in flight; others wait for one. */
const createAgent = ({ concurrency = CONCURRENCY }: Pick<ServiceOptions, 'concurrency'>): Agent =>
  new Agent({ connections: concurrency, allowH2: false, maxResponseSize: MAX_RESPONSE_BYTES });

/** The bytes that are counted are those on the wire, and a few of them may stand for very many. */
const UNCOMPRESSED = { 'accept-encoding': 'identity' };

/** @throws {Error} for a response whose length is not that of its bytes on the wire. */
async function assertUncompressed(response: Response): Promise<Response> {
  const encoding = response.headers.get('content-encoding') ?? 'identity';
  if (encoding === 'identity') return response;
  await response.body?.cancel();
  throw new Error(`The service must answer without content-encoding, and used ${encoding}.`);
}

/** Sends one call. From where it is redirected to another origin, only headers that describe its body are passed on. */
function withinOrigin(agent: Agent, url: string | URL): Dispatcher {
  const { origin } = new URL(url);
  let hasLeft = false;
  return agent.compose((dispatch) => (options, handler) => {
    hasLeft ||= options.origin !== origin;
    return dispatch(hasLeft ? { ...options, headers: describing(options.headers) } : options, handler);
  });
}

/** Fetch gives them by name. */
const describing = (headers: Dispatcher.DispatchOptions['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => DESCRIBING.includes(name.toLowerCase())));

const DESCRIBING: readonly string[] = ['accept', 'accept-encoding', 'content-length', 'content-type', 'user-agent'];

/** Its types are not those of Node's own fetch, which does not know this agent. */
const send = fetch as unknown as (
  url: string | URL,
  init: Omit<RequestInit, 'dispatcher'> & { readonly dispatcher: Dispatcher },
) => Promise<Response>;

const toObject = (headers: RequestInit['headers']) => Object.fromEntries(new Headers(headers));

/** The failure of a request whose client has gone, whose time is up, or whose gateway stops; else what was thrown. */
const withAbort = (error: unknown, { work: { signal } }: OperationContext): unknown =>
  signal.aborted ? toAbortError('fetch', signal) : error;

class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: number;

  constructor(status: number) {
    super(`HTTP ${status}`);
    this.status = status;
  }
}

/** @throws {Error} for an answer with errors. */
function dataOf(answer: unknown): unknown {
  const { data, errors } = answer as { readonly data?: unknown; readonly errors?: unknown };
  if (data == null || errors !== undefined) throw new Error('It answers with GraphQL errors.');
  return data;
}

/** @throws {Error} for a path with dots as a part, as an argument that was not encoded may have. */
function toUrl(base: string, path: string): URL {
  if (path === '') return new URL(base);
  // Addresses are read without these.
  const parts = path
    .replace(/[\t\r\n]/g, '')
    .split(/[?#]/, 1)
    .join()
    .split(/[\\/]/);
  if (parts.some((part) => DOTS.test(part))) throw new Error('Encode the parts of a path by encodeURIComponent.');
  return new URL(`${base.replace(/\/$/, '')}/${path.replace(/^\//, '')}`);
}

const DOTS = /^(\.|%2e){1,2}$/i;
