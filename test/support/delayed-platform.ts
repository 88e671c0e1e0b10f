import { createServer, request as forward } from 'node:http';

import { listen } from './listen.ts';

/** A way to a platform on which every answer to a GET waits until it is released. */
export interface DelayedPlatform {
  readonly url: string;
  /** Lets all that waits go on, and all that comes later pass. */
  release(): void;
  /** Lets all that comes from now on wait again. */
  hold(): void;
  /** Resolves when the first GET has come that waits. */
  readonly firstRequest: Promise<void>;
  /** How many GETs have come. */
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
