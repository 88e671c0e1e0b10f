/** A list in a response, as a table. A column is named by its path below the row. */
export interface Table {
  /** The path of the list in the response. */
  readonly path: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Returns a table for each list of objects in the data, except lists inside a row. If there is
 * no list, the data is a table with one row.
 */
export function tablesOf(data: unknown): readonly Table[] {
  const lists = listsIn(data, []);
  if (lists.length > 0) return lists.map(({ path, items }) => toTable(path, items));
  return isRecord(data) ? [toTable('data', [data])] : [];
}

function listsIn(
  value: unknown,
  path: readonly string[],
): { path: string; items: readonly unknown[] }[] {
  if (Array.isArray(value)) {
    return value.some(isRecord) ? [{ path: path.join('.'), items: value }] : [];
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => listsIn(member, [...path, name]));
}

function toTable(path: string, items: readonly unknown[]): Table {
  const cells = items.map((item) => new Map(cellsOf(item, [])));
  const names = [...new Set(cells.flatMap((row) => [...row.keys()]))];
  // An object that is null in one row gets its columns from another row.
  const columns = names.filter((name) => !names.some((other) => other.startsWith(`${name}.`)));
  return {
    path,
    columns,
    rows: cells.map((row) => columns.map((column) => row.get(column) ?? '')),
  };
}

/** Returns the leaves of a row by path. A list inside the row is one cell. */
function cellsOf(
  value: unknown,
  path: readonly string[],
): (readonly [column: string, text: string])[] {
  if (isRecord(value)) {
    return Object.entries(value).flatMap(([name, member]) => cellsOf(member, [...path, name]));
  }
  const column = path.join('.');
  if (value === null || value === undefined) return path.length > 0 ? [[column, '']] : [];
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return [[column || 'value', text]];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Formats a table as CSV (RFC 4180). An apostrophe is put before a text that a spreadsheet would
 * run as a formula.
 */
export const toCsv = ({ columns, rows }: Table): string =>
  [columns, ...rows].map((row) => `${row.map(toField).join(',')}\r\n`).join('');

function toField(text: string): string {
  const isFormula = /^[=@\t\r]|^[+-](?![\d.]+$)/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
