import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';

import { nextActivity } from '../feel.ts';
import { requirePermission } from '../http/access.ts';
import { badRequest, notFound } from '../http/errors.ts';
import {
  acceptValues,
  type Call,
  type Operations,
  type Platform,
  readObject,
  readValues,
} from '../http/operation.ts';
import { formatJson, type Json, type JsonObject, parseJson } from '../json.ts';
import type { Activity, Process } from '../model.ts';
import { inTransaction } from '../storage/database.ts';
import { checkValue, type Merged, mergeValues, type Values } from '../values.ts';

/** Returns the operations on cases. A case is a started process. */
export function caseOperations({ database, definitions }: Platform) {
  const cases = createCases(database);

  const processOf = (idProcess: string): Process => {
    const process = definitions.processes.get(idProcess);
    if (process === undefined)
      throw notFound('PROCESS_NOT_FOUND', `There is no process "${idProcess}".`);
    return process;
  };

  const openCase = ({ user, params }: Call): { idCase: bigint; process: Process } => {
    const idCase = parseInt64(params['idCase']);
    const stored = idCase === undefined ? undefined : cases.read(idCase);
    if (stored === undefined) {
      throw notFound('CASE_NOT_FOUND', `There is no case "${params['idCase']}".`);
    }
    requirePermission(user, 'processes', { id: stored.idProcess, action: 'execute' });
    return { idCase: stored.idCase, process: processOf(stored.idProcess) };
  };

  return {
    startCase: {
      method: 'POST',
      url: '/v1.0/cases',
      run(call) {
        const body = readObject(call);
        const process = processOf(processIdOf(body));
        const { idProcess } = process;
        requirePermission(call.user, 'processes', { id: idProcess, action: 'start' });
        const named = readValues(body, { isRequired: false });
        const values = acceptValues(changeVariables(process, { current: {}, named }));
        const cdActivity = process.activities[0]?.cdActivity;
        const started = cases.start(idProcess, { cdActivity, values });
        const { idCase } = started;
        return { status: 201, body: () => ({ idCase, idProcess, ...stateOf(process, started) }) };
      },
    },
    executeCurrentActivity: {
      method: 'PUT',
      url: '/v1.0/cases/:idCase/activities/:cdActivity/execute',
      run(call) {
        const { idCase, process } = openCase(call);
        const activity = activityOf(process, call);
        const named = readValues(readObject(call), { isRequired: false });
        const advanced = cases.advance(idCase, ({ cdActivity, values: current }) => {
          requireCurrent(process, activity, cdActivity);
          const values = acceptValues(changeVariables(process, { current, named, activity }));
          return { values, cdActivity: nextActivity(process, activity, values) };
        });
        const executed = activity.cdActivity;
        return { status: 202, body: () => ({ idCase, executed, ...stateOf(process, advanced) }) };
      },
    },
  } satisfies Operations;
}

/** Parses the int64 of a path segment. Returns `undefined` for anything else. */
function parseInt64(text = ''): bigint | undefined {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function processIdOf({ idProcess }: JsonObject): string {
  if (typeof idProcess === 'string') return idProcess;
  throw badRequest('MALFORMED_BODY', 'The body must have a text "idProcess".');
}

/**
 * Returns the activity of a path.
 *
 * @throws {ApiError} 404 when the process has no activity with this id.
 */
function activityOf({ activities }: Process, { params }: Call): Activity {
  const cdActivity = parseInt64(params['cdActivity']);
  const activity = activities.find((each) => each.cdActivity === cdActivity);
  if (activity !== undefined) return activity;
  throw notFound('ACTIVITY_NOT_FOUND', `The process has no activity "${params['cdActivity']}".`);
}

function requireCurrent(
  process: Process,
  { cdActivity: executed }: Activity,
  current: bigint | undefined,
): void {
  if (executed === current) return;
  if (current === undefined) {
    throw badRequest('CASE_COMPLETED', 'The case is completed and has no current activity.');
  }
  const described = `${current} ("${nameOf(process, current)}")`;
  const message = `The activity ${executed} is not the current one: that is ${described}.`;
  throw badRequest('ACTIVITY_NOT_CURRENT', message);
}

interface CaseChange {
  readonly current: Values;
  readonly named: JsonObject;
  /** The executed activity. Absent when the case starts. */
  readonly activity?: Activity;
}

/** Returns a case's variables after a change, and every problem of the change. */
function changeVariables({ variables }: Process, { current, named, activity }: CaseChange): Merged {
  const always = variables.filter(({ required }) => required).map(({ name }) => name);
  const required = [...new Set([...always, ...(activity?.requires ?? [])])];
  const check = (name: string, raw: Json) => {
    const variable = variables.find((each) => each.name === name);
    if (variable === undefined) return { problem: 'is not a variable of this process' };
    return checkValue(variable, raw);
  };
  return mergeValues({ current, named, required, check });
}

function stateOf(process: Process, stored: StoredCase | undefined): JsonObject {
  const cdActivity = stored?.cdActivity;
  if (cdActivity === undefined) return { status: 'completed', activity: null };
  return { status: 'running', activity: { cdActivity, name: nameOf(process, cdActivity) } };
}

/** A case may be at an activity that its process no longer has. */
const nameOf = ({ activities }: Process, cdActivity: bigint) =>
  activities.find((each) => each.cdActivity === cdActivity)?.name ?? 'no longer defined';

interface StoredCase {
  /** An int64, possibly beyond 2^53. */
  readonly idCase: bigint;
  readonly idProcess: string;
  /** The current activity, or `undefined` if the case is completed. */
  readonly cdActivity: bigint | undefined;
  readonly values: Values;
}

type CaseState = Pick<StoredCase, 'cdActivity' | 'values'>;

function createCases(database: DatabaseSync) {
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
    /**
     * Advances a case to the state that `next` returns. If `next` throws, the case does not change.
     */
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
