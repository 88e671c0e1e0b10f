import { LRUCache } from 'lru-cache';

import type { SharedEndings } from '../../cache/ended-sessions.ts';
import type { SharedRedis } from './client.ts';

/** How many sessions that Redis did not take are kept for its return. */
const MAX_UNSENT = 10_000;

/** Shares the ends of sessions among replicas: a message for those that run, and a key that ends with the session for those that start. */
export function createSharedEndings({ client, nameOf, publish, subscribe }: SharedRedis): SharedEndings {
  const channel = nameOf('ended');
  const unsent = new LRUCache<string, true>({ max: MAX_UNSENT });

  const send = async (session: string, restMs: number): Promise<void> => {
    const name = nameOf('ended', session);
    try {
      if (restMs > 0) unsent.set(session, true, { ttl: Math.ceil(restMs) });
      await client.insist<unknown>((redis) =>
        restMs > 0 ? redis.set(name, '', 'PX', Math.ceil(restMs)) : redis.del(name),
      );
      await publish(channel, { session, restMs });
      unsent.delete(session);
    } catch {
      // It is sent again after the next connect.
    }
  };
  client.onConnect(() => {
    for (const session of [...unsent.keys()]) send(session, unsent.getRemainingTTL(session));
  });

  return {
    publish: send,
    find: async (session) => Math.max(0, await client.run((redis) => redis.pttl(nameOf('ended', session)))),
    subscribe(onEnded, onMissed) {
      subscribe(channel, ({ session, restMs }) => onEnded(String(session), Number(restMs)));
      client.onConnect(onMissed);
    },
  };
}
