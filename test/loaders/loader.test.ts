import { describe, expect, it } from 'vitest';

import { goOn, isLater, later } from '../../src/loaders/later.ts';
import { createLoader } from '../../src/loaders/loader.ts';

interface Row {
  readonly key: string;
  readonly from: string;
}

/** A loader that writes down its batches. The row of `none` is absent, and `bad` fails. */
function openLoader() {
  const batches: (readonly string[])[] = [];
  const loader = createLoader<string, Row | undefined>({
    nameOf: (key) => key,
    keyOf: ({ key }) => key,
    async loadBatch(keys) {
      batches.push([...keys]);
      if (keys.includes('all bad')) throw new Error('the batch failed');
      return keys.map((key) => {
        if (key === 'bad') return new Error('it failed');
        return key === 'none' ? undefined : { key, from: `batch ${batches.length}` };
      });
    },
  });
  return { loader, batches };
}

describe('a loader', () => {
  it('loads together what is asked for at about the same time, also one promise further on', async () => {
    const { loader, batches } = openLoader();

    await Promise.all([loader.load('a'), Promise.resolve().then(() => loader.load('b')), loader.load('a')]);
    await loader.load('c');

    expect(batches).toEqual([['a', 'b'], ['c']]);
  });

  it('gives all values of a batch with the same promise, and at once when they are there', async () => {
    const { loader } = openLoader();
    const [a, b] = [loader.get('a'), loader.get('b')];

    expect(isLater(a) && isLater(b) && a.promise === b.promise).toBe(true);
    await a;

    expect(loader.get('b')).toEqual({ key: 'b', from: 'batch 1' });
    expect(isLater(b) && b.resume()).toBe(loader.get('b'));
  });

  it('keeps a failure to its key, and knows it from then on', async () => {
    const { loader, batches } = openLoader();

    expect(await loader.loadMany(['bad', 'none', 'a'])).toMatchObject([
      { message: 'it failed' },
      undefined,
      { key: 'a' },
    ]);

    expect(() => loader.get('bad')).toThrow('it failed');
    expect(loader.get('none')).toBeUndefined();
    expect(batches).toHaveLength(1);
  });

  it('fails every key of a batch that failed as a whole', async () => {
    const { loader } = openLoader();

    const found = await loader.loadMany(['a', 'all bad']);

    expect(found).toMatchObject([{ message: 'the batch failed' }, { message: 'the batch failed' }]);
  });

  it('takes rows that were read otherwise for their keys, but not in the place of what it knows', async () => {
    const { loader, batches } = openLoader();
    await loader.load('a');

    loader.prime([
      { key: 'a', from: 'list' },
      { key: 'b', from: 'list' },
    ]);

    expect([loader.get('a'), loader.get('b')]).toMatchObject([{ from: 'batch 1' }, { from: 'list' }]);
    expect(batches).toHaveLength(1);
  });

  it('asks anew after it was told to forget, also for what is on its way', async () => {
    const { loader, batches } = openLoader();
    const before = loader.load('a');

    loader.clear();

    expect(await loader.load('a')).toEqual({ key: 'a', from: 'batch 2' });
    expect(await before).toEqual({ key: 'a', from: 'batch 1' });
    expect(batches).toEqual([['a'], ['a']]);
  });
});

describe('a value that comes later', () => {
  const there = Promise.resolve();

  it('is gone on with at once where it is there already', () => {
    expect(goOn(1, (value) => value + 1)).toBe(2);
  });

  it('is gone on with when it comes, through everything that comes later still', async () => {
    const sum = goOn(
      later(there, () => later(there, () => 1)),
      (value) => later(there, () => value + 1),
    );

    expect(isLater(sum)).toBe(true);
    expect(await sum).toBe(2);
  });

  it('fails whoever awaits it with what it failed with', async () => {
    const failing = later<number>(there, () => {
      throw new Error('it failed');
    });

    await expect(goOn(failing, (value) => value + 1)).rejects.toThrow('it failed');
  });
});
