import { describe, expect, it } from 'vitest';
import { fixedContent } from '../../src/store/content.ts';
import type { Version } from '../../src/store/held.ts';
import { createMemory } from '../../src/store/memory.ts';
import { resourceKey } from '../../src/store/resource.ts';

const CONTENT = fixedContent({});
const entryOf = (bytes: number) => ({
  ...{
    content: CONTENT,
    version: 'v' as Version,
    validator: undefined,
    bytes,
    trueAtMs: 0,
    mark: 0,
    isFirstHand: true,
  },
});
const key = (name: string | number) => resourceKey('x', name);

describe('memory', () => {
  it('gives up what nobody wanted for longest, whosever it is, and stays within its bound', () => {
    const memory = createMemory(10_000);
    const [ann, bob] = [memory.shelf(), memory.shelf()];
    ann.set(key('old'), entryOf(1_000));
    ann.set(key('used'), entryOf(1_000));

    for (let index = 0; index < 100; index++) {
      ann.get(key('used'));
      bob.set(key(index), entryOf(1_000));
    }

    expect(memory.bytes).toBeLessThanOrEqual(10_000);
    expect([ann.get(key('old')), ann.get(key('used'))]).toEqual([undefined, entryOf(1_000)]);
    expect(bob.get(key(99))).toEqual(entryOf(1_000));
  });

  it('takes in nothing that is larger than itself, and keeps the old one no longer', () => {
    const shelf = createMemory(5_000).shelf();
    shelf.set(key('a'), entryOf(1_000));

    shelf.set(key('a'), entryOf(50_000));

    expect(shelf.get(key('a'))).toBeUndefined();
  });

  it('keeps shelves apart, whatever is deleted or cleared', () => {
    const memory = createMemory(10_000);
    const [ann, bob] = [memory.shelf(), memory.shelf()];
    for (const shelf of [ann, bob]) for (const name of ['a', 'b']) shelf.set(key(name), entryOf(1));

    ann.delete(key('a'));
    const afterDeletion = [ann, bob].map((shelf) => shelf.get(key('a')));
    ann.clear();

    expect(afterDeletion).toEqual([undefined, entryOf(1)]);
    expect([ann.get(key('b')), bob.get(key('b'))]).toEqual([undefined, entryOf(1)]);
  });

  it('is empty when all has gone', () => {
    const memory = createMemory(10_000);
    const shelf = memory.shelf();
    shelf.set(key('a'), entryOf(1));
    shelf.set(key('a'), entryOf(2));

    shelf.clear();

    expect(memory.bytes).toBe(0);
  });
});
