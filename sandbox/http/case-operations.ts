import { changeVariables } from '../changes.ts';
import { nextActivity } from '../feel.ts';
import type { JsonObject } from '../json.ts';
import type { Activity, Process } from '../model.ts';
import type { Platform } from '../platform.ts';
import type { StoredCase } from '../storage/cases.ts';
import { requirePermission } from './access.ts';
import { badRequest, notFound } from './errors.ts';
import { acceptValues, type Call, type Operation, readObject, readValues } from './operation.ts';

/** `startCase` and `executeCurrentActivity`. */
export function caseOperations({ definitions, cases }: Platform): readonly Operation[] {
  const processOf = (idProcess: string): Process => {
    const process = definitions.processes.get(idProcess);
    if (process === undefined) throw notFound('PROCESS_NOT_FOUND', `There is no process "${idProcess}".`);
    return process;
  };

  const openCase = ({ user, params }: Call): { found: StoredCase; process: Process; activity: Activity } => {
    const idCase = parseInt64(params['idCase']);
    const found = idCase === undefined ? undefined : cases.read(idCase);
    if (found === undefined) throw notFound('CASE_NOT_FOUND', `There is no case "${params['idCase']}".`);
    requirePermission(user, 'processes', { id: found.idProcess, action: 'execute' });

    const process = processOf(found.idProcess);
    const cdActivity = parseInt64(params['cdActivity']);
    const activity = process.activities.find((each) => each.cdActivity === cdActivity);
    if (activity !== undefined) return { found, process, activity };
    throw notFound('ACTIVITY_NOT_FOUND', `The process has no activity "${params['cdActivity']}".`);
  };

  return [
    {
      name: 'startCase',
      method: 'POST',
      url: '/v1.0/cases',
      run(call) {
        const body = readObject(call);
        const process = processOf(processIdOf(body));
        const { idProcess } = process;
        requirePermission(call.user, 'processes', { id: idProcess, action: 'start' });
        const named = readValues(body, { isRequired: false });
        const values = acceptValues(changeVariables(process, { current: {}, named }));
        const started = cases.start(idProcess, { cdActivity: process.activities[0]?.cdActivity, values });
        return { status: 201, body: () => ({ idCase: started.idCase, idProcess, ...stateOf(process, started) }) };
      },
    },
    {
      name: 'executeCurrentActivity',
      method: 'PUT',
      url: '/v1.0/cases/:idCase/activities/:cdActivity/execute',
      run(call) {
        const { found, process, activity } = openCase(call);
        const named = readValues(readObject(call), { isRequired: false });
        const advanced = cases.advance(found.idCase, ({ cdActivity, values: current }) => {
          requireCurrent(process, activity, cdActivity);
          const values = acceptValues(changeVariables(process, { current, named, activity }));
          return { values, cdActivity: nextActivity(process, activity, values) };
        });
        const executed = activity.cdActivity;
        return { status: 202, body: () => ({ idCase: found.idCase, executed, ...stateOf(process, advanced) }) };
      },
    },
  ];
}

/** The int64 of a path segment; `undefined` for anything else. */
function parseInt64(text = ''): bigint | undefined {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function processIdOf({ idProcess }: JsonObject): string {
  if (typeof idProcess === 'string') return idProcess;
  throw badRequest('MALFORMED_BODY', 'The body must have a text "idProcess".');
}

function requireCurrent(process: Process, { cdActivity: executed }: Activity, current: bigint | undefined): void {
  if (executed === current) return;
  if (current === undefined) throw badRequest('CASE_COMPLETED', 'The case is completed and has no current activity.');
  const described = `${current} ("${nameOf(process, current)}")`;
  throw badRequest('ACTIVITY_NOT_CURRENT', `The activity ${executed} is not the current one: that is ${described}.`);
}

function stateOf(process: Process, stored: StoredCase | undefined): JsonObject {
  const cdActivity = stored?.cdActivity;
  if (cdActivity === undefined) return { status: 'completed', activity: null };
  return { status: 'running', activity: { cdActivity, name: nameOf(process, cdActivity) } };
}

/** A case may be at an activity that its process no longer has. */
const nameOf = ({ activities }: Process, cdActivity: bigint) =>
  activities.find((each) => each.cdActivity === cdActivity)?.name ?? 'no longer defined';
