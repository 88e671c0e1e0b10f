import { Agent, type Dispatcher, fetch } from 'undici';
import { toAbortError } from '../../core/abort.ts';
import { serverOf } from '../../core/observers.ts';
import type { Gateway } from '../feature.ts';
import { type Asker, takeCalls } from './query.ts';

const MAX_RESPONSE_BYTES = 8_388_608;
/** Calls in flight to one server, of all requests together. */
const CONCURRENCY = 16;

/** Calls to other services, as one extension makes them. */
export type Outgoing = ReturnType<typeof createOutgoing>;

/** Opens no connection before the first call. @param file of the extension. */
export function createOutgoing(file: string, { observers }: Pick<Gateway, 'observers'>) {
  const agent = new Agent({
    connections: CONCURRENCY,
    allowH2: false,
    maxResponseSize: MAX_RESPONSE_BYTES,
  });

  /** Makes a call for a resolver. It counts, and ends when its operation does. */
  async function call(asker: Asker, url: string | URL, init: RequestInit = {}): Promise<Response> {
    takeCalls(asker, 1);
    const { work } = asker.operation;
    work.countExtensionCall(file);
    const ended = work.signal;
    const signal = init.signal ? AbortSignal.any([ended, init.signal]) : ended;
    const outgoing = {
      name: file,
      target: 'service',
      method: init.method ?? 'GET',
      server: serverOf(url),
    } as const;
    const dispatcher = withinOrigin(agent, url);
    return observers.call(outgoing, async (ids) => {
      const headers = { ...ids, ...Object.fromEntries(new Headers(init.headers)), ...UNCOMPRESSED };
      try {
        return await assertUncompressed(await send(url, { ...init, headers, signal, dispatcher }));
      } catch (error) {
        // Its client has gone, its time is up, or the gateway stops.
        throw work.signal.aborted ? toAbortError('fetch', work.signal) : error;
      }
    });
  }

  return { call, close: () => agent.destroy() };
}

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
    return dispatch(
      hasLeft ? { ...options, headers: describing(options.headers) } : options,
      handler,
    );
  });
}

/** Fetch gives them by name. */
const describing = (headers: Dispatcher.DispatchOptions['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers ?? {}).filter(([name]) => DESCRIBING.includes(name.toLowerCase())),
  );

const DESCRIBING: readonly string[] = [
  'accept',
  'accept-encoding',
  'content-length',
  'content-type',
  'user-agent',
];

/** Its types are not those of Node's own fetch, which does not know this agent. */
const send = fetch as unknown as (
  url: string | URL,
  init: Omit<RequestInit, 'dispatcher'> & { readonly dispatcher: Dispatcher },
) => Promise<Response>;
