import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';

import { formatJson, parseJson } from '../json.ts';
import type { Values } from '../values.ts';
import { inTransaction } from './database.ts';

export interface StoredCase {
  /** An int64, beyond 2^53. */
  readonly idCase: bigint;
  readonly idProcess: string;
  /** The current activity; `undefined` when the case is completed. */
  readonly cdActivity: bigint | undefined;
  readonly values: Values;
}

type CaseState = Pick<StoredCase, 'cdActivity' | 'values'>;

export type Cases = ReturnType<typeof createCases>;

export function createCases(database: DatabaseSync) {
  const select = database.prepare('SELECT * FROM case_file WHERE id_case = ?');
  const insert = database.prepare(
    'INSERT INTO case_file (id_process, cd_activity, values_json) VALUES (?, ?, ?) RETURNING *',
  );
  const update = database.prepare(
    'UPDATE case_file SET cd_activity = ?, values_json = ? WHERE id_case = ? RETURNING *',
  );
  for (const statement of [select, insert, update]) statement.setReadBigInts(true);

  const read = (idCase: bigint): StoredCase | undefined => {
    const row = select.get(idCase);
    return row && toCase(row);
  };

  return {
    read,
    start(idProcess: string, { cdActivity, values }: CaseState): StoredCase {
      const row = insert.get(idProcess, cdActivity ?? null, formatJson(values));
      if (row === undefined) throw new Error('The case was not written.');
      return toCase(row);
    },
    /** Advances a case to the state that `next` returns; if it throws, the case stays as it was. */
    advance: (idCase: bigint, next: (current: StoredCase) => CaseState): StoredCase | undefined =>
      inTransaction(database, () => {
        const current = read(idCase);
        if (current === undefined) return undefined;
        const { cdActivity, values } = next(current);
        const row = update.get(cdActivity ?? null, formatJson(values), idCase);
        return row && toCase(row);
      }),
  };
}

function toCase(row: Record<string, SQLOutputValue>): StoredCase {
  const cdActivity = row['cd_activity'];
  return {
    idCase: row['id_case'] as bigint,
    idProcess: String(row['id_process']),
    cdActivity: typeof cdActivity === 'bigint' ? cdActivity : undefined,
    values: parseJson(String(row['values_json'])) as Values,
  };
}
