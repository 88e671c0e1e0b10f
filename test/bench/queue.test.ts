import { expect, it } from 'vitest';

import { createQueue } from '../../bench/load/queue.ts';

it('a queue gives what came first, however long it becomes, and nothing when it is empty', () => {
  const queue = createQueue<number>();
  const taken: (number | undefined)[] = [];

  for (let item = 0; item < 50_000; item++) {
    queue.add(item);
    if (item % 2 === 1) taken.push(queue.take());
  }
  for (let item = 0; item <= 25_000; item++) taken.push(queue.take());

  expect(taken).toEqual([...Array.from({ length: 50_000 }, (_, item) => item), undefined]);
});
