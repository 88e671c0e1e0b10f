import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Benchmark, counted } from '../benchmark.ts';
import { formatRows } from '../report.ts';
import { type Calls, type Count, count } from './count.ts';
import { writeDefinitions } from './definitions.ts';
import { OPERATIONS, type Operation } from './operations.ts';

const FILE = join(import.meta.dirname, 'expected.json');
const COLUMNS = ['naive', 'loaders', 'cold', 'warm', 'unchanged', 'fresh'] as const;

const ABOUT = `Calls for tokens are not counted, nor those for the definitions that a gateway reads at its start. *Naive*: each field reads
what it needs. *DataLoaders*: the same, with a DataLoader by id for forms, instances and rules. Both run over the same graph and
read a form, as the gateway does, to know where its references lead. *Cold*: a gateway that has read nothing before. *Warm*: the
same for the third time, since a copy is kept when it is asked for again; in brackets how many of these calls were answered by 304. *Fresh*: again, at a gateway whose settings keep
copies fresh for a day. *Least*: the fewest calls for anyone who knows the interface and nothing else.
`;

/** The calls of each operation, by its name. */
type CallTable = Readonly<Record<string, Calls>>;

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

/** The committed table. */
function readExpected(): CallTable {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

/** Writes the committed table, one operation a line. */
function writeExpected(table: CallTable): void {
  const lines = Object.entries(table).map(([name, calls]) => `  ${JSON.stringify(name)}: ${rowOf(calls)}`);
  writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
}

/** The differences of two tables, more calls as well as fewer. */
export function differences(expected: CallTable, counted: CallTable): string[] {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(counted)])];
  return names.flatMap((name) => {
    const [before, now] = [expected[name], counted[name]];
    if (before === undefined || now === undefined) return [`${name}: ${now === undefined ? 'gone' : 'new'}`];
    return COLUMNS.filter((column) => before[column] !== now[column]).map(
      (column) => `${name}: ${column} ${before[column]} → ${now[column]}`,
    );
  });
}

const rowOf = (calls: Calls) =>
  `{ ${COLUMNS.map((column) => `${JSON.stringify(column)}: ${calls[column]}`).join(', ')} }`;

/** The table of all operations, and its differences from the committed one. */
function formatTable(counts: ReadonlyMap<Operation, Count>, changed: readonly string[]): string {
  const rows = [...counts].map(([{ name, least, because }, calls]) => [
    calls.isAgreed ? name : `${name} (unlike answers)`,
    String(calls.naive),
    String(calls.loaders),
    String(calls.cold),
    calls.unchanged > 0 ? `${calls.warm} (${calls.unchanged})` : String(calls.warm),
    String(calls.fresh),
    String(least),
    because,
  ]);
  const head = ['operation', 'naive', 'DataLoaders', 'cold', 'warm', 'fresh', 'least', 'since'];
  const lines = changed.map((line) => `- ${line}`).join('\n');
  const notice = `Differences from the committed table (\`--save\` writes this one):\n\n${lines}\n`;
  return ['', ABOUT, formatRows(head, rows), ...(changed.length > 0 ? ['', notice] : []), ''].join('\n');
}
