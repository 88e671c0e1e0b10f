import { describe, expect, it } from 'vitest';

import { createContent, fixedContent } from '../../src/upstream/reading/content.ts';

/** Content that counts how often it was read again. */
function open() {
  let count = 0;
  const content = createContent({ read: 0 }, () => ({ read: ++count }));
  return { content, again: () => count };
}

describe('content', () => {
  it('gives the same record each time', () => {
    const { content, again } = open();

    expect(content.record()).toBe(content.record());
    expect(again()).toBe(0);
  });

  it('that is given once is read again when it is asked for again, and stays from then on', () => {
    const { content, again } = open();
    content.giveOnce();

    const given = [content.record(), content.record(), content.record()];

    expect(given.map(({ read }) => read)).toEqual([0, 1, 1]);
    expect(given[2]).toBe(given[1]);
    expect(again()).toBe(1);
  });

  it('stays where it was given before it was told to go', () => {
    const { content } = open();
    const first = content.record();
    content.giveOnce();

    expect(content.record()).toBe(first);
  });

  it('is not given by a look at it', () => {
    const { content, again } = open();
    content.giveOnce();

    const looked = [content.peek(), content.record()];
    const late = [content.peek(), content.peek()];

    expect(looked[0]).toBe(looked[1]);
    expect(late.map(({ read }) => read)).toEqual([1, 2]);
    expect(content.record()).toEqual({ read: 3 });
    expect(again()).toBe(3);
  });

  it('that is nothing but a record never goes', () => {
    const record = {};
    const content = fixedContent(record);
    content.giveOnce();

    expect([content.record(), content.record(), content.peek()].every((given) => given === record)).toBe(true);
  });
});
