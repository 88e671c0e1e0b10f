import { describe, expect, it } from 'vitest';

import { createDepot } from '../../src/store/depot.ts';
import { createJournal } from '../../src/store/journal.ts';
import type { Invalidations } from '../../src/store/ports.ts';
import type { Reads } from '../../src/store/resource.ts';
import { AREAS, type Touched, touchedBy } from '../../src/store/touched.ts';
import { openPlatform } from '../upstream/support/open.ts';
import { openScope } from './support/open-scope.ts';
import { BODY, KEY, openTimed, PAGE } from './support/open-timed.ts';

const LONG = { definitions: 60_000, instances: 60_000, lists: 60_000, staleIfFailed: 60_000 };
const LOOK_UP = { ...PAGE, where: [{ field: 'idInstance', operator: 'IN', values: ['1', '2'] }] } as const;
const { signal: patient } = new AbortController();

/** Everything that can be read, by the change that must be seen in it. */
const READS: Readonly<Record<string, (reads: Reads) => Promise<unknown>>> = {
  'the instance': ({ instance }) => instance(KEY),
  'another instance of the form': ({ instance }) => instance({ ...KEY, instanceId: '2' }),
  'an instance of another form': ({ instance }) => instance({ ...KEY, formId: 'b' }),
  'a list of the form': ({ instances }) => instances('a', PAGE),
  'a look-up in the form': ({ instances }) => instances('a', LOOK_UP),
  'a list of another form': ({ instances }) => instances('b', PAGE),
  'the form': ({ form }) => form('a'),
  'a rule': ({ rule }) => rule({ component: 'r', version: '1' }),
};

const FORM = ['a list of the form', 'a look-up in the form'];
const INSTANCES = Object.keys(READS).slice(0, 6);

describe('a change', () => {
  it.each<readonly [string, Touched, readonly string[]]>([
    ['of an instance', KEY, ['the instance', ...FORM]],
    ['that makes an instance', { formId: 'a' }, FORM],
    ['of nobody knows what', 'everything', INSTANCES],
  ])('%s drops what may hold it, and nothing else', async (_what, touched, dropped) => {
    const { run, store, asked, conditions } = await openTimed({ windows: LONG });
    const readAll = async () => {
      const anew: string[] = [];
      for (const [name, read] of Object.entries(READS)) if ((await run(read)).meter.calls > 0) anew.push(name);
      return anew;
    };
    await readAll();
    asked.length = 0;

    await store.wrote(touched);

    expect((await readAll()).sort()).toEqual([...dropped].sort());
    // What was known to date from before is not asked for: both may be of one second.
    expect(conditions()).not.toContain(true);
  });

  it('is seen by every caller', async () => {
    const { upstream, asked } = await openPlatform({ status: 200, body: BODY });
    const depot = createDepot({ windows: LONG });
    const [ann, bob] = ['Ann', 'Bob'].map((name) => openScope(upstream, name, depot).store);
    await bob?.reads(patient).instance(KEY);

    await ann?.wrote(KEY);
    await bob?.reads(patient).instance(KEY);

    expect(asked).toHaveLength(2);
  });

  it('leaves nothing that a read brings which began before it ended', async () => {
    const answers: PromiseWithResolvers<void>[] = [];
    const { upstream, asked } = await openPlatform(async () => {
      const answer = Promise.withResolvers<void>();
      answers.push(answer);
      await answer.promise;
      return { status: 200, body: BODY, headers: { 'last-modified': new Date(0).toUTCString() } };
    });
    const { store } = openScope(upstream, 'Ann', createDepot({ windows: LONG }));
    const arrived = (count: number) => expect.poll(() => asked.length).toBe(count);

    const before = store.reads(patient).instance(KEY);
    await arrived(1);
    await store.wrote(KEY);
    answers[0]?.resolve();
    await before;
    const after = store.reads(patient).instance(KEY);
    await arrived(2);
    answers[1]?.resolve();
    await after;

    expect(asked.map(({ headers }) => headers.some(([name]) => name === 'if-modified-since'))).toEqual([false, false]);
  });

  it('is not hidden by an old copy when the platform fails', async () => {
    const { run, store, failNext } = await openTimed({ windows: LONG });
    await run(({ instance }) => instance(KEY));
    await store.wrote(KEY);
    failNext({ status: 500 });

    await expect(run(({ instance }) => instance(KEY))).rejects.toMatchObject({ failure: 'failed' });
  });

  it('is told to other processes before it is answered, and theirs are heard', async () => {
    const told: Touched[] = [];
    let hear: (touched: Touched) => void = () => undefined;
    const invalidations: Invalidations = {
      publish: async (touched) => void told.push(touched),
      subscribe(listener) {
        hear = listener;
      },
    };
    const { run, store, asked } = await openTimed({ windows: LONG, invalidations });
    const look = () => run(({ instance }) => instance(KEY));

    await look();
    await store.wrote({ formId: 'b', instanceId: '1' });
    await look();
    hear(KEY);
    await look();

    expect(told).toEqual([{ formId: 'b', instanceId: '1' }]);
    expect(asked).toHaveLength(2);
  });
});

describe('what a mutation touches', () => {
  it.each([
    ['one of an instance', { formId: 'a', instanceId: '1', values: {} }, { formId: 'a', instanceId: '1' }],
    ['one that makes an instance', { formId: 'a', values: {} }, { formId: 'a', instanceId: undefined }],
    ['one of a case', { caseId: '1', activityId: '2' }, 'everything'],
    ['one of a rule', { component: 'r', version: '1', parameters: [] }, 'everything'],
  ])('is told by its input: %s', (_what, input, touched) => {
    expect(touchedBy(input)).toEqual(touched);
  });
});

describe('the journal of changes', () => {
  it('tells what was touched after a moment from what was touched before', () => {
    const journal = createJournal();
    journal.touch(KEY);
    const mark = journal.mark();
    const before = journal.isTouched(AREAS.instance('a', '1'), mark);

    journal.touch(KEY);

    expect([before, journal.isTouched(AREAS.instance('a', '1'), mark)]).toEqual([false, true]);
    expect(journal.isTouched(AREAS.instance('a', '2'), mark)).toBe(false);
  });

  it('keeps apart forms and instances whose names run together', () => {
    const journal = createJournal();
    const mark = journal.mark();

    journal.touch({ formId: 'a', instanceId: '11' });

    expect(journal.isTouched(AREAS.instance('a1', '1'), mark)).toBe(false);
    expect(journal.isTouched(AREAS.lists('a1'), mark)).toBe(false);
  });

  it('takes all to be touched that it has forgotten about, and nothing that began later', () => {
    const journal = createJournal(4);
    const early = journal.mark();
    for (const instanceId of ['1', '2', '3', '4', '5', '6']) journal.touch({ formId: 'a', instanceId });

    expect(journal.isTouched(AREAS.instance('b', '1'), early)).toBe(true);
    expect(journal.isTouched(AREAS.instance('b', '1'), journal.mark())).toBe(false);
    expect(journal.isTouched([], early)).toBe(false);
  });
});
