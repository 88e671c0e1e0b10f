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

/** To clients, while Redis does not answer. */
const UNAVAILABLE = {
  clientCode: 'IDEMPOTENCY_UNAVAILABLE',
  advice: 'The gateway’s memory of idempotency keys does not answer; try again with the same key.',
};

/** What a caller is told whose outcomes take half of Redis. */
const SHARE_IS_FULL =
  'The outcomes of your idempotency keys take all of your share until the oldest expire.';

/** The value of a change's key: the claim of the replica that makes it, and then the outcome in its place. */
interface Content extends Pick<NamedChange, 'fingerprint'> {
  readonly outcome?: ChangeOutcome;
}

/** A claim lasts longer than its write by so much, in milliseconds, for the outcome to be left. */
const LEASE_SLACK_MS = 1_000;
/** Who waits for another replica's write looks so often. */
const POLL_MS = 100;

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** What a name takes besides its value, in bytes. */
const NAME_BYTES = 200;

/**
 * Claims a name, with the end of its lease before it, by the clock of Redis, since those of replicas may differ. Gives how long the
 * caller has to wait, in milliseconds, where their outcomes take half of the memory that Redis may have.
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

/** Reads the value and, of a claim, the rest of its lease. */
const LOOK = `${NOW}
local found = redis.call('GET', KEYS[1])
if not found then return {} end
local ends, claim = string.match(found, '^(%d+) (.*)$')
return { claim or found, ends and math.floor(ends - now) or 0 }`;

/**
 * Puts an outcome in place of the claim, or removes the claim of a write that was not sent. What somebody else has claimed stays;
 * where Redis has lost the claim, the outcome is left all the same. What a caller's outcomes take is counted by the tenth of the time
 * that they are kept for, in which they expire.
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
 * Makes the runs of keyed writes that replicas share. Whoever is first to claim a name makes the change; the others wait for its
 * outcome. A claim is never taken over: whether its write was sent, nobody else can know, so that it becomes an unknown outcome
 * when its time is up.
 *
 * @param deadlineMs how long one write may take at most, in milliseconds.
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
    // Without `SESSION_KEYS`, which may be replaced: one key has one name.
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
    /** `undefined` where nothing is there, `running` for a claim that lasts. */
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
        // Counted from before it is asked for, so that it ends here before it ends there.
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
        // Commands of one connection are carried out in order: a claim whose reply is late is removed after it was made.
        if (claim === undefined) return;
        const args = [claim, outcome ? await encrypt({ fingerprint, outcome }) : '', keptMs];
        await client.deliver(claim, keptMs, (redis) => redis.eval(SETTLE, 2, ...names, ...args));
      },
    };
  };
}
