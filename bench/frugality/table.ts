import { formatRows } from '../report.ts';
import type { Count } from './count.ts';
import type { Operation } from './operation.ts';

const ABOUT = `Calls for tokens are not counted, nor for the definitions that a gateway reads as it starts. *Naive*: each field asks
for what it needs. *DataLoaders*: the same, with a DataLoader by id for forms, instances and rules. Both are run over the same
graph and know as much as the gateway does: which form a reference leads to is in the form's definition, so that they read it
too. *Cold*: a gateway that was asked nothing before. *Warm*: the same again, at once; in brackets how many of these calls were
answered by 304. *Fresh*: again, at a gateway whose settings (FRESH_INSTANCES_MS and the like) take what was read to be true for
a while. *Least*: what anyone needs who knows the interface and nothing else.
`;

/** Words the table of all operations, and what it differs in from the committed one. */
export function formatTable(counts: ReadonlyMap<Operation, Count>, changed: readonly string[]): string {
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
  const differences = changed.map((line) => `- ${line}`).join('\n');
  const notice = `Unlike the committed table (\`--save\` commits to this one):\n\n${differences}\n`;
  return ['', ABOUT, formatRows(head, rows), ...(changed.length > 0 ? ['', notice] : []), ''].join('\n');
}
