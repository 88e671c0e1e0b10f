import { setTimeout as sleep } from 'node:timers/promises';

import {
  type ChangeOutcome,
  checkSame,
  type NamedChange,
  type SharedRun,
  type ShareRun,
  unknownOutcome,
} from '../../cache/idempotency.ts';
import { scopeKey } from '../../cache/scope-key.ts';
import { UpstreamError } from '../../core/errors.ts';
import { limited } from '../../upstream/call-budget.ts';
import type { RedisClient, SharedRedis } from './client.ts';

/** The error for clients while Redis is unavailable. */
const UNAVAILABLE = {
  clientCode: 'IDEMPOTENCY_UNAVAILABLE',
  advice: 'The gateway’s memory of idempotency keys does not answer; try again with the same key.',
};

/** The message for a caller whose outcomes take half of the memory of Redis. */
const SHARE_IS_FULL =
  'The outcomes of your idempotency keys take all of your share until the oldest expire.';

/**
 * The value of a change's key: first the lease of the replica that makes the change, later the
 * outcome.
 */
interface Content extends Pick<NamedChange, 'fingerprint'> {
  readonly outcome?: ChangeOutcome;
}

/**
 * How much longer a lease lasts than its write, in milliseconds, so that the outcome can be stored.
 */
const LEASE_SLACK_MS = 1_000;
/** How often a replica that waits for another replica's write checks the key, in milliseconds. */
const POLL_MS = 100;

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** The approximate size of a key besides its value, in bytes. */
const NAME_BYTES = 200;

/**
 * Acquires the lease of a name. The value begins with the end of the lease, by the clock of Redis,
 * since the clocks of replicas may differ. If the caller's outcomes take half of the maximum memory
 * of Redis, it returns the wait in milliseconds instead.
 */
const CLAIM = `${NOW}
local info = redis.pcall('INFO', 'memory')
local max = tonumber(type(info) == 'string' and string.match(info, 'maxmemory:(%d+)') or 0)
local held, first = 0, math.huge
local parts = redis.call('HGETALL', KEYS[2])
for index = 1, #parts, 2 do
  if tonumber(parts[index]) > now then
    held, first = held + parts[index + 1], math.min(first, parts[index])
  else
    redis.call('HDEL', KEYS[2], parts[index])
  end
end
if max > 0 and held >= max / 2 then return first - now end
return redis.call('SET', KEYS[1], string.format('%.0f ', now + ARGV[2]) .. ARGV[1], 'PX', ARGV[3], 'NX')`;

/** Reads the value and, for a lease, its remaining time in milliseconds. */
const LOOK = `${NOW}
local found = redis.call('GET', KEYS[1])
if not found then return {} end
local ends, claim = string.match(found, '^(%d+) (.*)$')
return { claim or found, ends and math.floor(ends - now) or 0 }`;

/**
 * Replaces the lease by the outcome, or removes the lease of a write that was not sent. It does not
 * touch another replica's value. If Redis has lost the lease, it stores the outcome anyway. The
 * size of a caller's outcomes is counted in slots, each a tenth of the retention time, by the slot
 * in which they expire.
 */
const SETTLE = `${NOW}
local found = redis.call('GET', KEYS[1])
if found and string.match(found, '^%d+ (.*)$') ~= ARGV[1] then return end
if ARGV[2] == '' then return redis.call('DEL', KEYS[1]) end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
local part = math.ceil(ARGV[3] / 10)
local ends = now - now % part + part + ARGV[3]
redis.call('HINCRBY', KEYS[2], string.format('%.0f', ends), #ARGV[2] + ${NAME_BYTES})
redis.call('PEXPIREAT', KEYS[2], string.format('%.0f', ends))`;

/**
 * Returns a function that runs keyed writes once across all replicas. The replica that acquires the
 * lease makes the change, and the others wait for its outcome. A lease is never taken over, since
 * no other replica can know whether the write was sent. When the lease ends without an outcome, the
 * outcome is unknown.
 *
 * @param deadlineMs the maximum duration of one write, in milliseconds.
 * @param keptMs how long outcomes are kept, in milliseconds.
 */
export function createSharedRuns(
  shared: SharedRedis,
  deadlineMs: number,
  keptMs: number,
): ShareRun {
  const { client, encryption, nameOf } = shared;
  const leaseMs = deadlineMs + LEASE_SLACK_MS;
  return ({ operation, caller, key, fingerprint }): SharedRun => {
    // The name must not depend on `SESSION_KEYS`, which may be replaced: one idempotency key has
    // one name.
    const name = nameOf('change', scopeKey(caller, key));
    const names = [name, nameOf('held', caller)];
    let claim: string | undefined;
    let heldUntilMs = 0;
    let isTaken = false;
    let isSettled = false;

    const ask: RedisClient['insist'] = (command) =>
      client.insist(command).catch((cause: unknown) => {
        throw new UpstreamError('unrecorded', { operation, cause, isUnsent: true, ...UNAVAILABLE });
      });
    const encrypt = (content: Content) => encryption.encrypt(name, { ...content });
    /**
     * Returns the outcome, `running` for a valid lease, or `undefined` if the key does not exist.
     */
    const look = async (): Promise<ChangeOutcome | 'running' | undefined> => {
      const [text, restMs = 0] = (await ask((redis) => redis.eval(LOOK, 1, name))) as readonly [
        string?,
        number?,
      ];
      if (text === undefined) return undefined;
      const content = (await encryption.decrypt(name, text)) as (Content & object) | undefined;
      if (content === undefined) return unknownOutcome(operation);
      checkSame({ fingerprint }, content.fingerprint);
      return content.outcome ?? (restMs > 0 ? 'running' : unknownOutcome(operation));
    };

    return {
      async find() {
        const endsAtMs = performance.now() + deadlineMs;
        for (;;) {
          const found = await look();
          if (found !== 'running') return found;
          if (performance.now() >= endsAtMs) return unknownOutcome(operation);
          await sleep(POLL_MS);
        }
      },
      async acquire() {
        if (claim !== undefined) return;
        const text = await encrypt({ fingerprint });
        if (isSettled) throw new UpstreamError('cancelled', { operation, isUnsent: true });
        // Measured from before the request, so that the lease ends here before it ends in Redis.
        heldUntilMs = performance.now() + leaseMs;
        claim = text;
        const reply = await ask((redis) =>
          redis.eval(CLAIM, 2, ...names, text, leaseMs, leaseMs + keptMs),
        );
        if (reply === 'OK') return;
        claim = undefined;
        if (typeof reply === 'number')
          throw limited(operation, reply, { of: 'caller' }, SHARE_IS_FULL);
        isTaken = true;
        throw new UpstreamError('cancelled', { operation, isUnsent: true });
      },
      check() {
        if (performance.now() < heldUntilMs) return;
        throw new UpstreamError('timeout', { operation, isUnsent: true, isFinal: true });
      },
      isTaken: () => isTaken,
      async settle(outcome) {
        isSettled = true;
        // Redis executes the commands of one connection in order. So a lease whose reply is late is
        // removed after it was created.
        if (claim === undefined) return;
        const args = [claim, outcome ? await encrypt({ fingerprint, outcome }) : '', keptMs];
        await client.deliver(claim, keptMs, (redis) => redis.eval(SETTLE, 2, ...names, ...args));
      },
    };
  };
}
