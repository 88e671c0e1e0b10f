import { createServer, request as forward } from 'node:http';

import { listen } from './listen.ts';

/** A proxy to a platform that delays every GET until it is released. */
interface DelayedPlatform {
  readonly url: string;
  /** Releases all delayed calls, and delays no later ones. */
  release(): void;
  /** Delays all calls from now on. */
  hold(): void;
  /** Resolves when the first delayed GET has arrived. */
  readonly firstRequest: Promise<void>;
  /** The number of GETs so far. */
  count(): number;
}

/** Puts itself before the platform at `target`; ends with the test. */
export async function delayPlatform(target: string): Promise<DelayedPlatform> {
  let released = Promise.withResolvers<void>();
  let firstRequest = Promise.withResolvers<void>();
  let count = 0;
  const server = createServer(async (incoming, outgoing) => {
    if (incoming.method === 'GET') {
      count++;
      firstRequest.resolve();
      await released.promise;
    }
    const onward = forward(target + incoming.url, { method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  const url = await listen(server);
  return {
    url,
    release: () => released.resolve(),
    hold() {
      released = Promise.withResolvers<void>();
      firstRequest = Promise.withResolvers<void>();
    },
    get firstRequest() {
      return firstRequest.promise;
    },
    count: () => count,
  };
}
