/** A list of a response as a table: its columns by their paths below a row, and the text of each cell. */
export interface Table {
  /** Where the list is, by the names of the response. */
  readonly path: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Each list of objects in the data of a response, except for those within a row; where there is none, the whole as one row. */
export function tablesOf(data: unknown): readonly Table[] {
  const lists = listsIn(data, []);
  if (lists.length > 0) return lists.map(({ path, items }) => toTable(path, items));
  return isRecord(data) ? [toTable('data', [data])] : [];
}

function listsIn(value: unknown, path: readonly string[]): { path: string; items: readonly unknown[] }[] {
  if (Array.isArray(value)) return value.some(isRecord) ? [{ path: path.join('.'), items: value }] : [];
  return isRecord(value) ? Object.entries(value).flatMap(([name, member]) => listsIn(member, [...path, name])) : [];
}

function toTable(path: string, items: readonly unknown[]): Table {
  const cells = items.map((item) => new Map(cellsOf(item, [])));
  const names = [...new Set(cells.flatMap((row) => [...row.keys()]))];
  // An object that is null in one row has its own columns from another.
  const columns = names.filter((name) => !names.some((other) => other.startsWith(`${name}.`)));
  return { path, columns, rows: cells.map((row) => columns.map((column) => row.get(column) ?? '')) };
}

/** The leaves of a row, by path. A list within it is one cell. */
function cellsOf(value: unknown, path: readonly string[]): (readonly [column: string, text: string])[] {
  if (isRecord(value)) return Object.entries(value).flatMap(([name, member]) => cellsOf(member, [...path, name]));
  if (value === null || value === undefined) return path.length > 0 ? [[path.join('.'), '']] : [];
  return [[path.join('.') || 'value', typeof value === 'string' ? value : JSON.stringify(value)]];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A table as CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe in front. */
export const toCsv = ({ columns, rows }: Table): string =>
  [columns, ...rows].map((row) => `${row.map(toField).join(',')}\r\n`).join('');

function toField(text: string): string {
  const isFormula = /^[=@\t\r]|^[+-](?![\d.]+$)/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
