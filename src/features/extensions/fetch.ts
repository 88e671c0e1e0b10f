import { Agent, type Dispatcher, fetch } from 'undici';
import { toAbortError } from '../../core/abort.ts';
import { serverOf } from '../../core/observers.ts';
import type { Gateway } from '../feature.ts';
import { type Asker, takeCalls } from './query.ts';

const MAX_RESPONSE_BYTES = 8_388_608;
/** The maximum number of calls in flight to one server, across all requests. */
const CONCURRENCY = 16;

/** The HTTP client of one extension. */
export interface Outgoing {
  /**
   * Sends a call for a resolver. The call is counted, and it is aborted when its operation ends.
   */
  call(asker: Asker, url: string | URL, init?: RequestInit): Promise<Response>;
  /** Ends all calls and connections. */
  close(): Promise<void>;
}

/**
 * Creates an HTTP client. It opens no connection before its first call.
 *
 * @param file of the extension.
 */
export function createOutgoing(file: string, { observers }: Pick<Gateway, 'observers'>): Outgoing {
  const agent = new Agent({
    connections: CONCURRENCY,
    allowH2: false,
    maxResponseSize: MAX_RESPONSE_BYTES,
  });

  async function call(asker: Asker, url: string | URL, init: RequestInit = {}): Promise<Response> {
    takeCalls(asker, 1);
    const { requestState } = asker.operation;
    requestState.countExtensionCall(file);
    const ended = requestState.signal;
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
        // The client has disconnected, the deadline has passed, or the gateway stops.
        throw requestState.signal.aborted ? toAbortError('fetch', requestState.signal) : error;
      }
    });
  }

  return { call, close: () => agent.destroy() };
}

/**
 * Compression is refused, because the size limit counts bytes on the wire and a few of them may
 * unpack to very many.
 */
const UNCOMPRESSED = { 'accept-encoding': 'identity' };

/**
 * Checks that a response is not compressed.
 *
 * @throws {Error} if it has a content encoding.
 */
async function assertUncompressed(response: Response): Promise<Response> {
  const encoding = response.headers.get('content-encoding') ?? 'identity';
  if (encoding === 'identity') return response;
  await response.body?.cancel();
  throw new Error(`The service must answer without content-encoding, and used ${encoding}.`);
}

/**
 * Returns a dispatcher for one call. After a redirect to another origin, it passes on only headers
 * that describe the body.
 */
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

/** Returns the headers that describe the body. `fetch` of undici passes headers as an object. */
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

/** The types of Node's own `fetch` do not accept this agent. */
const send = fetch as unknown as (
  url: string | URL,
  init: Omit<RequestInit, 'dispatcher'> & { readonly dispatcher: Dispatcher },
) => Promise<Response>;
