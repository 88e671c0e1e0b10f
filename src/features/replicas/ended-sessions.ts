import type { SharedEndings } from '../../cache/ended-sessions.ts';
import type { SharedRedis } from './client.ts';

/**
 * Shares the ends of sessions. Running replicas get a message. Replicas that start later find a
 * key, which expires with the session.
 */
export function createSharedEndings({
  client,
  nameOf,
  publish,
  subscribe,
}: SharedRedis): SharedEndings {
  const channel = nameOf('ended');
  return {
    publish(session, restMs) {
      const name = nameOf('ended', session);
      return client.deliver(name, restMs, async (redis, leftMs) => {
        await (leftMs > 0 ? redis.set(name, '', 'PX', Math.ceil(leftMs)) : redis.del(name));
        await publish(channel, { session, restMs: leftMs });
      });
    },
    find: async (session) =>
      Math.max(0, await client.run((redis) => redis.pttl(nameOf('ended', session)))),
    subscribe(onEnded, onMissed) {
      subscribe(channel, ({ session, restMs }) => onEnded(String(session), Number(restMs)));
      client.onConnect(onMissed);
    },
  };
}
