import { type Observers, serverOf } from '../core/observers.ts';
import type { Interceptor } from './call.ts';

/** Tells observers of each call to a host, also of a second one, and sends the headers that they have for it. */
export function createObserve(observers: Observers, url: string | URL): Interceptor {
  const server = serverOf(url);
  return (next) => (call) => {
    const { operation, kind, method, work, sent } = call;
    const spent = {
      caller: kind === 'sign-in' ? 'user' : (work?.callerName ?? 'gateway'),
      kind: operation === 'getToken' ? 'token' : kind,
    };
    const outgoing = { name: operation, target: 'platform', method, server, resends: sent - 1, ...spent } as const;
    return observers.call(outgoing, (headers) => {
      Object.assign(call.headers, headers);
      return next(call);
    });
  };
}
