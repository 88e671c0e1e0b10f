import { createServer, request as forward } from 'node:http';

import { listen } from './listen.ts';

/** What comes instead of an answer: another one, or nothing. */
export type Disturbance = 'cut' | { readonly status: number; readonly body: string; readonly retryAfter?: string };

/** Tells what disturbs a call, by its method and its path with the query; `undefined` lets it pass. */
export type Disturb = (method: string, path: string) => Disturbance | undefined;

/** A proxy to a platform with disturbances that the test sets. */
interface DisturbedPlatform {
  readonly url: string;
  disturb(by: Disturb): void;
}

/** Puts itself before the platform at `target`, lets tokens pass, and ends with the test. */
export async function disturbPlatform(target: string): Promise<DisturbedPlatform> {
  let disturbBy: Disturb = () => undefined;
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    const instead = url.endsWith('/token') ? undefined : disturbBy(method, url);
    if (instead === 'cut') return incoming.socket.destroy();
    if (instead) {
      const { status, body, retryAfter } = instead;
      outgoing.writeHead(status, {
        'content-type': 'application/json',
        ...(retryAfter && { 'retry-after': retryAfter }),
      });
      incoming.resume();
      return outgoing.end(body);
    }
    const onward = forward(target + url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    return incoming.pipe(onward);
  });
  return {
    url: await listen(server),
    disturb(by) {
      disturbBy = by;
    },
  };
}
