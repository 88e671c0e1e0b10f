import { describe, expect, it } from 'vitest';
import { CacheStore, type Invalidation } from '../../src/cache/store.ts';
import { OPERATIONS, type OperationName } from '../../src/upstream/operations.ts';
import { TAGS } from '../../src/upstream/resources/instances.ts';
import { ROWS } from '../operations/index.ts';
import { KEY, openSlow, openTimed, PAGE, type Reads } from './support/open.ts';

const LONG = { definitionsMs: 60_000, instancesMs: 60_000, staleIfErrorMs: 60_000 };
const LOOK_UP = {
  ...PAGE,
  where: [{ field: 'idInstance', operator: 'IN', values: ['1', '2'] }],
} as const;

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

describe('a write', () => {
  it.each<readonly [string, Invalidation, readonly string[]]>([
    ['of an instance', OPERATIONS.deleteFormIntance.invalidates(KEY), ['the instance', ...FORM]],
    [
      'that makes an instance',
      OPERATIONS.createFormIntance.invalidates({ formId: 'a', values: {} }),
      FORM,
    ],
    ['of anything', 'everything', INSTANCES],
  ])(
    '%s invalidates everything that it may affect, and nothing else',
    async (_what, change, dropped) => {
      const { run, cache, requests, conditions } = await openTimed(LONG);
      const readAll = async () => {
        const anew: string[] = [];
        for (const [name, read] of Object.entries(READS))
          if ((await run(read)).requestState.calls > 0) anew.push(name);
        return anew;
      };
      await readAll();
      requests.length = 0;

      cache.invalidate(change);

      expect((await readAll()).sort()).toEqual([...dropped].sort());
      // Not conditionally: the copy and the change may be of one second.
      expect(conditions()).not.toContain(true);
    },
  );

  it('discards the result of a read that started before the write ended', async () => {
    const { begin, cache, requests, arrived, answer } = await openSlow(LONG);

    const before = begin().instance(KEY);
    await arrived(1);
    cache.invalidate([TAGS.record(KEY)]);
    answer(0);
    await before;
    const after = begin().instance(KEY);
    await arrived(2);
    answer(1);
    await after;

    const isConditional = requests.map(({ headers }) => 'if-modified-since' in headers);
    expect(isConditional).toEqual([false, false]);
  });

  it('is not hidden by a stale copy when the platform fails', async () => {
    const { run, cache, failNext } = await openTimed(LONG);
    await run(({ instance }) => instance(KEY));
    cache.invalidate([TAGS.record(KEY)]);
    failNext({ status: 500 });

    await expect(run(({ instance }) => instance(KEY))).rejects.toMatchObject({ failure: 'failed' });
  });
});

const ALL = Object.entries(OPERATIONS).map(([name, of]) => ({
  ...of,
  args: ROWS[name as OperationName].args as never,
}));
const CHANGES = ALL.filter((of) => of.is === 'change').filter(
  ({ invalidates, args }) => invalidates(args) !== 'everything',
);
const HELD = ALL.filter((of) => of.is === 'read').flatMap(({ tags, ...of }) =>
  tags === 'definitions' ? [] : { ...of, tags },
);

/** Returns whether a change at one path may alter a record there, below it, or the list with it. */
function mayAlter(method: string, changed: string, read: string): boolean {
  if (method === 'POST') return read === changed;
  return (
    read === changed ||
    read.startsWith(`${changed}/`) ||
    read === changed.slice(0, changed.lastIndexOf('/'))
  );
}

describe('each change of what has an address', () => {
  it.each(CHANGES)(
    '$name invalidates what is read there, below it, and in the list around it',
    (change) => {
      const path = change.path(change.args);
      const altered = HELD.filter((read) => mayAlter(change.method, path, read.path(read.args)));
      const store = new CacheStore();

      store.invalidate(change.invalidates(change.args));

      const stale = HELD.filter(({ tags, args }) => store.isStale(tags(args), 0)).map(
        ({ name }) => name,
      );
      expect(altered).not.toEqual([]);
      expect(stale).toEqual(expect.arrayContaining(altered.map(({ name }) => name)));
      const ofOther = HELD.filter(({ tags, args }) =>
        store.isStale(tags({ ...(args as object), formId: 'b' } as never), 0),
      );
      expect(ofOther).toEqual([]);
    },
  );
});

it.each(['startCase', 'executeCurrentActivity', 'execute'] as const)(
  'a change of a case or a rule may change anything: %s',
  (name) => {
    expect(OPERATIONS[name].invalidates({} as never)).toBe('everything');
  },
);

describe('tag generations', () => {
  it('keep forms and instances with similar ids apart', () => {
    const store = new CacheStore();

    store.invalidate([TAGS.record({ formId: 'a', instanceId: '11' }), TAGS.lists({ formId: 'a' })]);

    const stale = (formId: string, instanceId: string) =>
      [TAGS.record({ formId, instanceId }), TAGS.lists({ formId })].map((tag) =>
        store.isStale([tag], 0),
      );
    expect(stale('a', '11')).toEqual([true, true]);
    expect(stale('a1', '1')).toEqual([false, false]);
  });

  it('are bounded: with too many tags everything cached earlier is stale, and nothing later', () => {
    const store = new CacheStore({ maxTags: 4 });

    for (const instanceId of ['1', '2', '3', '4', '5', '6']) {
      store.invalidate([TAGS.record({ formId: 'a', instanceId })]);
    }
    const other = [TAGS.record({ formId: 'b', instanceId: '1' })];

    expect(store.isStale(other, 0)).toBe(true);
    expect(store.isStale(other, store.generation)).toBe(false);
  });
});
