import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNode, LineCounter, parseDocument } from 'yaml';

export type Path = readonly PropertyKey[];

/** One YAML file, with the line of everything in it. */
export interface Source {
  readonly content: unknown;
  /** Problems that the YAML itself has; with any, `content` is not to be trusted. */
  readonly problems: readonly string[];
  /** "forms/expense.yaml:12", for what is at `path` or, where it is missing, for what should hold it. */
  at(path: Path): string;
}

/** Reads one file of a folder. `file` is relative to the folder, as messages name it. */
export function readSource(folder: string, file: string): Source {
  const lines = new LineCounter();
  const text = readFileSync(join(folder, file), 'utf8');
  const document = parseDocument(text, { lineCounter: lines, intAsBigInt: true, prettyErrors: false });
  const lineAt = (offset: number) => `${file}:${Math.max(lines.linePos(offset).line, 1)}`;

  const at = (path: Path): string => {
    const node = path.length === 0 ? document.contents : document.getIn(path, true);
    if (isNode(node) && node.range) return lineAt(node.range[0]);
    return path.length === 0 ? lineAt(0) : at(path.slice(0, -1));
  };

  return {
    content: document.errors.length > 0 ? undefined : narrowIntegers(document.toJS()),
    problems: document.errors.map(({ message, pos }) => `${lineAt(pos[0])}: ${message}`),
    at,
  };
}

/** Integers that a number holds exactly become numbers; only the others stay bigints. */
function narrowIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(narrowIntegers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, narrowIntegers(member)]));
}
