import { LRUCache } from 'lru-cache';

import type { Clock } from '../clock.ts';
import type { Windows } from '../depot.ts';
import type { Kept } from '../entry.ts';
import type { Owner, SecondLevel } from '../ports.ts';
import type { Wanted } from '../wanted.ts';
import type { Link } from './link.ts';
import type { Names } from './names.ts';
import type { Seal } from './seal.ts';
import type { Position, Touches } from './touches.ts';

interface EntriesOptions {
  readonly link: Link;
  readonly names: Names;
  readonly seal: Seal;
  readonly touches: Touches;
  readonly windows: Windows;
  readonly now: Clock;
}

/** What lies in Redis of a resource, sealed. Times are told as ages, since clocks of replicas may differ. */
interface Stored extends Position {
  readonly kept: Omit<Kept, 'trueAtMs'>;
  /** How old it was when it was stored. */
  readonly ageMs: number;
  /** For how long it was stored. */
  readonly forMs: number;
}

type Remembered = Position & Pick<Kept, 'version' | 'trueAtMs'>;

/** Something that can be asked again conditionally is worth keeping for so long, however short it is good for. */
const CONDITIONAL_MS = 600_000;
/** What is larger stays in the process that asked for it. */
const BYTES_AT_MOST = 1_048_576;
/** So many of the last that were stored are remembered, so that the same is not stored again and again. */
const REMEMBERED_AT_MOST = 10_000;

/** Gives an entry, how long it is still kept, and what was last changed, in one command. */
const FIND_SCRIPT = `
local sealed = redis.call('GET', KEYS[1])
if not sealed then return nil end
return { sealed, redis.call('PTTL', KEYS[1]), redis.call('HMGET', KEYS[2], unpack(ARGV)) }
`;

/** Makes the memory that replicas share. An entry is valid while none of its areas was touched by a later change. */
export function createEntries({ link, names, seal, touches, windows, now }: EntriesOptions): SecondLevel {
  const stored = new LRUCache<string, Remembered>({ max: REMEMBERED_AT_MOST });

  const nameOf = (owner: Owner, { key }: Wanted) => names('entry', seal.blind('entry', owner, key)[0]);
  const goodForMs = ({ freshness }: Wanted) => Math.max(windows[freshness], windows.staleIfFailed);
  /** Whether it lies there already, about as new. A change that was heard since makes it another matter. */
  const isStored = (name: string, { version, trueAtMs, born, seq }: Remembered, everyMs: number) => {
    const last = stored.get(name);
    return last?.version === version && last.born === born && last.seq === seq && trueAtMs - last.trueAtMs < everyMs;
  };

  return {
    async get(owner, wanted) {
      const name = nameOf(owner, wanted);
      const fields = wanted.areas.flatMap(touches.fieldsOf);
      try {
        const found = await link.send('EVAL', FIND_SCRIPT, 2, name, touches.name, 'born', ...fields);
        if (found === null) return undefined;
        const [sealed, restMs, marks] = found as readonly [Buffer, number, readonly (Buffer | null)[]];
        const opened = seal.open(name, sealed);
        if (opened === undefined) return undefined;
        const { kept, ageMs, forMs, ...at } = JSON.parse(opened.toString()) as Stored;
        if (!isValid(at, marks)) return undefined;
        return { ...kept, trueAtMs: now() - ageMs - Math.max(0, forMs - restMs) };
      } catch {
        return undefined;
      }
    },
    set(owner, wanted, { trueAtMs, ...kept }) {
      const at = touches.position();
      const forMs = Math.max(goodForMs(wanted), kept.validator === undefined ? 0 : CONDITIONAL_MS);
      if (at === undefined || forMs === 0 || kept.bytes > BYTES_AT_MOST) return;
      const name = nameOf(owner, wanted);
      const remembered = { ...at, version: kept.version, trueAtMs };
      if (isStored(name, remembered, (goodForMs(wanted) || forMs) / 2)) return;
      const content: Stored = { ...at, kept, ageMs: Math.max(0, now() - trueAtMs), forMs };
      stored.set(name, remembered);
      link.send('SET', name, seal.close(name, JSON.stringify(content)), 'PX', forMs).catch(() => stored.delete(name));
    },
    drop(owner, wanted) {
      const name = nameOf(owner, wanted);
      stored.delete(name);
      link.send('DEL', name).catch(() => undefined);
    },
  };
}

/** Whether nothing has touched it since: the count is the same, and no area has a later change. */
function isValid({ born, seq }: Position, [mark, ...touched]: readonly (Buffer | null)[]): boolean {
  return mark?.toString() === born && touched.every((last) => last === null || Number(last.toString()) <= seq);
}
