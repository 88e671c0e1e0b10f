import { rmSync } from 'node:fs';

import { type Benchmark, counted } from '../benchmark.ts';
import { CHANGES } from './changes.ts';
import { type Count, count } from './count.ts';
import { writeDefinitions } from './definitions.ts';
import { type CallTable, differences, readExpected, writeExpected } from './expected.ts';
import type { Calls, Operation } from './operation.ts';
import { READS } from './reads.ts';
import { formatTable } from './table.ts';

const OPERATIONS: readonly Operation[] = [...READS, ...CHANGES];

/** Calls to the platform for each operation of a table, by all ways of answering it. */
export const frugality: Benchmark = {
  name: 'frugality',
  about:
    'calls to the platform for each operation of a table, beside other ways of answering it and the fewest possible',
  async run({ isSaved }) {
    const counts = await countAll();
    const table: CallTable = Object.fromEntries([...counts].map(([{ name }, calls]) => [name, calls]));
    if (isSaved) writeExpected(table);
    const changed = differences(readExpected(), table);
    const all = [...counts.values()];
    const sum = (column: keyof Calls) => all.reduce((total, calls) => total + calls[column], 0);
    const notLeast = [...counts].filter(([{ least }, { cold }]) => cold !== least);
    return {
      figures: [
        counted('operations', all.length, '', { atLeast: 15 }),
        counted('operations with unlike answers', all.filter(({ isAgreed }) => !isAgreed).length, '', { atMost: 0 }),
        counted('differences from the committed table', changed.length, '', { atMost: 0 }),
        counted('operations that cost, cold, not the least possible', notLeast.length, '', { atMost: 0 }),
        counted('calls in all: naive', sum('naive'), ''),
        counted('calls in all: with DataLoaders', sum('loaders'), ''),
        counted('calls in all: Caseway, cold', sum('cold'), ''),
        counted('calls in all: Caseway, warm', sum('warm'), ''),
        counted('calls in all: Caseway, fresh', sum('fresh'), ''),
      ],
      text: formatTable(counts, changed),
    };
  },
};

async function countAll(): Promise<ReadonlyMap<Operation, Count>> {
  const definitions = writeDefinitions();
  const counts = new Map<Operation, Count>();
  try {
    for (const operation of OPERATIONS) counts.set(operation, await count(operation, definitions));
  } finally {
    rmSync(definitions, { recursive: true });
  }
  return counts;
}
