import { describe, expect, it } from 'vitest';

import { createDepot, type DepotOptions } from '../../src/store/depot.ts';
import type { Kept } from '../../src/store/entry.ts';
import type { Owner, SecondLevel } from '../../src/store/ports.ts';
import type { Reads } from '../../src/store/resource.ts';
import type { Wanted } from '../../src/store/wanted.ts';
import { valuesOf } from '../upstream/support/http-server.ts';
import { openPlatform } from '../upstream/support/open.ts';
import { openScope } from './support/open-scope.ts';
import { BODY, KEY, openTimed } from './support/open-timed.ts';

const { signal: patient } = new AbortController();
const LONG = { definitions: 60_000, instances: 60_000, lists: 60_000, staleIfFailed: 60_000 };

/** Two callers of one platform. */
async function openTwo(options: Partial<DepotOptions> = {}) {
  const { upstream, asked } = await openPlatform({ status: 200, body: BODY });
  const depot = createDepot({ windows: LONG, ...options });
  const [ann, bob] = [openScope(upstream, 'Ann', depot), openScope(upstream, 'Bob', depot)];
  const read = (scope: typeof ann, what: (reads: Reads) => Promise<unknown>) => what(scope.store.reads(patient));
  return { ann, bob, read, asked };
}

const form = (reads: Reads) => reads.form('a');
const instance = (reads: Reads) => reads.instance(KEY);

describe('two callers', () => {
  it.each([
    ['a form', form],
    ['an instance', instance],
  ] as const)('share nothing, not even %s', async (_what, what) => {
    const { ann, bob, read, asked } = await openTwo();

    await read(ann, what);
    await read(bob, what);

    expect(asked).toHaveLength(2);
    expect(asked.map((received) => valuesOf(received, 'if-modified-since'))).toEqual([[], []]);
  });

  it('share definitions where that is allowed, once the platform has answered each of them', async () => {
    const { ann, bob, read, asked } = await openTwo({ isSharingDefinitions: true });
    const other = (reads: Reads) => reads.form('b');

    await read(ann, form);
    await read(ann, other);
    await read(bob, form);
    await read(bob, other);

    expect(asked.map(({ target }) => target)).toEqual(['/v1.0/forms/a', '/v1.0/forms/b', '/v1.0/forms/a']);
  });

  it('share no instances, whatever is allowed', async () => {
    const { ann, bob, read, asked } = await openTwo({ isSharingDefinitions: true });

    for (const scope of [ann, bob]) for (const what of [form, instance]) await read(scope, what);

    expect(asked.filter(({ target }) => target.includes('/instances/'))).toHaveLength(2);
  });
});

describe('a caller whom the platform does not let in any more', () => {
  it('knows nothing any more', async () => {
    const { run, failNext, asked } = await openTimed({ windows: LONG });
    await run(form);
    failNext({ status: 401 }, { status: 401 });
    await run(instance).catch(() => undefined);

    await run(form);

    expect(asked.at(-1)?.target).toBe('/v1.0/forms/a');
  });
});

/** A second level in memory, as another process may have left it. */
function rememberElsewhere() {
  const kept = new Map<string, string>();
  const keyOf = (owner: Owner, { key }: Wanted) => `${owner} ${key}`;
  const level: SecondLevel = {
    async get(owner, wanted) {
      const text = kept.get(keyOf(owner, wanted));
      return text === undefined ? undefined : (JSON.parse(text) as Kept);
    },
    set: (owner, wanted, entry) => void kept.set(keyOf(owner, wanted), JSON.stringify(entry)),
    drop: (owner, wanted) => void kept.delete(keyOf(owner, wanted)),
  };
  return { level, kept };
}

describe('a second level', () => {
  it('tells nothing to a caller whom the platform does not let in any more', async () => {
    const { level } = rememberElsewhere();
    const { run, failNext, asked } = await openTimed({ windows: LONG, secondLevel: level });
    await run(form);
    failNext({ status: 401 }, { status: 401 });
    await run(instance).catch(() => undefined);

    await run(form);

    expect(asked.at(-1)?.target).toBe('/v1.0/forms/a');
  });

  it('keeps nothing that the platform would not give any more', async () => {
    const { level, kept } = rememberElsewhere();
    const { run, failNext } = await openTimed({ secondLevel: level });
    await run(instance);
    const before = kept.size;
    failNext({ status: 403 });

    await run(instance).catch(() => undefined);

    expect([before, kept.size]).toEqual([1, 0]);
  });

  it('tells a process what another one was told, by way of JSON', async () => {
    const { level } = rememberElsewhere();
    const { ann, read, asked } = await openTwo({ secondLevel: level });
    const other = await openTwo({ secondLevel: level });

    const records = [await read(ann, instance), await read(other.ann, instance)];

    expect(records[1]).toEqual(JSON.parse(JSON.stringify(records[0])));
    expect([asked.length, other.asked.length]).toEqual([1, 0]);
  });

  it('tells what to ask since, where what it holds is not fresh', async () => {
    const { level } = rememberElsewhere();
    const one = await openTimed({ secondLevel: level });
    const other = await openTimed({ secondLevel: level });
    await one.run(instance);
    other.pass(1_000);

    const { meter } = await other.run(instance);

    expect(meter).toMatchObject({ calls: 1, notModified: 1 });
  });

  it('is not told again what is true still, where that would save nobody a call', async () => {
    let count = 0;
    const { level, kept } = rememberElsewhere();
    const set: SecondLevel['set'] = (...what) => {
      count++;
      level.set(...what);
    };
    const { run, store } = await openTimed({ secondLevel: { ...level, set } });

    for (const _ of [1, 2, 3]) await run(instance);
    await store.wrote(KEY);
    kept.clear();
    await run(instance);

    expect(count).toBe(2);
  });

  it('tells one caller nothing that another was told', async () => {
    const { level, kept } = rememberElsewhere();
    const { ann, bob, read, asked } = await openTwo({ secondLevel: level });

    await read(ann, instance);
    await read(bob, instance);

    expect(asked).toHaveLength(2);
    expect(kept.size).toBe(2);
  });

  it('tells nothing that was changed while it was asked', async () => {
    const { level } = rememberElsewhere();
    const { ann, read } = await openTwo({ secondLevel: level });
    await read(ann, instance);
    const other = await openTwo({
      secondLevel: {
        ...level,
        async get(owner, wanted) {
          await other.bob.store.wrote(KEY);
          return level.get(owner, wanted);
        },
      },
    });

    await read(other.ann, instance);

    expect(other.asked).toHaveLength(1);
  });

  it('with a clock that is ahead makes nothing fresh', async () => {
    const { level } = rememberElsewhere();
    const ahead = await openTimed({ secondLevel: level, windows: { instances: 1_000 } });
    const behind = await openTimed({ secondLevel: level, windows: { instances: 1_000 } });
    ahead.pass(3_600_000);
    await ahead.run(instance);

    const { meter } = await behind.run(instance);

    expect(meter).toMatchObject({ calls: 1, notModified: 1, fresh: 0 });
  });
});
