import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Benchmark, counted } from '../benchmark.ts';
import { formatRows } from '../report.ts';
import { type Calls, type Count, count } from './count.ts';
import { writeDefinitions } from './definitions.ts';
import { OPERATIONS, type Operation } from './operations.ts';

const FILE = join(import.meta.dirname, 'expected.json');
const COLUMNS = ['naive', 'loaders', 'cold', 'warm', 'unchanged', 'fresh'] as const;

const ABOUT = `Calls for tokens are not counted, nor calls for the definitions that a gateway reads when it
starts.

- *Naive*: each field reads its own data.
- *DataLoaders*: the same, with a DataLoader by id for forms, instances and rules.
- *Cold*: a gateway that has read nothing yet.
- *Warm*: the third run, since a gateway caches a response when it is requested again. In parentheses:
  calls answered with 304.
- *Fresh*: the second run at a gateway whose cached copies stay fresh for a day.
- *Minimum*: the fewest calls for a client that knows only the interface.

The first two use the same graph, without the typed fields. Like the gateway, they read a form to find the targets of its
references.
`;

/** The calls of each operation, by its name. */
type CallTable = Readonly<Record<string, Calls>>;

/** Counts calls to the platform for each operation of a table, in all setups. */
export const frugality: Benchmark = {
  name: 'frugality',
  about:
    'calls to the platform for each operation, compared with other implementations and the minimum',
  async run({ isSaved }) {
    const counts = await countAll();
    const table: CallTable = Object.fromEntries(
      [...counts].map(([{ name }, calls]) => [name, calls]),
    );
    if (isSaved) writeExpected(table);
    const changed = differences(readExpected(), table);
    const all = [...counts.values()];
    const sum = (column: keyof Calls) =>
      all.reduce((total, calls) => total + (calls[column] ?? 0), 0);
    const different = all.filter(({ isAgreed }) => !isAgreed);
    const notLeast = [...counts].filter(([{ least }, { cold }]) => cold !== least);
    return {
      figures: [
        counted('operations', all.length, '', { atLeast: 15 }),
        counted('operations with different answers', different.length, '', { atMost: 0 }),
        counted('differences from the committed table', changed.length, '', { atMost: 0 }),
        counted('operations that need more than the minimum, cold', notLeast.length, '', {
          atMost: 0,
        }),
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

/** Reads the committed table. */
function readExpected(): CallTable {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

/** Writes the committed table, one operation per line. */
function writeExpected(table: CallTable): void {
  const lines = Object.entries(table).map(
    ([name, calls]) => `  ${JSON.stringify(name)}: ${rowOf(calls)}`,
  );
  writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
}

/** Returns the differences of two tables. Fewer calls are a difference too. */
export function differences(expected: CallTable, counted: CallTable): string[] {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(counted)])];
  return names.flatMap((name) => {
    const before = expected[name];
    const now = counted[name];
    if (before === undefined) return [`${name}: new`];
    if (now === undefined) return [`${name}: gone`];
    return COLUMNS.filter((column) => before[column] !== now[column]).map(
      (column) => `${name}: ${column} ${before[column]} → ${now[column]}`,
    );
  });
}

const rowOf = (calls: Calls) =>
  `{ ${COLUMNS.map((column) => `${JSON.stringify(column)}: ${calls[column]}`).join(', ')} }`;

/** Formats the table of all operations, and its differences from the committed one. */
function formatTable(counts: ReadonlyMap<Operation, Count>, changed: readonly string[]): string {
  const rows = [...counts].map(([{ name, least, because }, calls]) => [
    calls.isAgreed ? name : `${name} (different answers)`,
    String(calls.naive ?? ''),
    String(calls.loaders ?? ''),
    String(calls.cold),
    calls.unchanged > 0 ? `${calls.warm} (${calls.unchanged})` : String(calls.warm),
    String(calls.fresh),
    String(least),
    because,
  ]);
  const head = ['operation', 'naive', 'DataLoaders', 'cold', 'warm', 'fresh', 'minimum', 'reason'];
  const lines = changed.map((line) => `- ${line}`).join('\n');
  const notice = `Differences from the committed table (\`--save\` writes this one):\n\n${lines}\n`;
  const paragraphs = ['', ABOUT, formatRows(head, rows)];
  if (changed.length > 0) paragraphs.push('', notice);
  return [...paragraphs, ''].join('\n');
}
