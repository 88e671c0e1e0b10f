import { changeVariables } from '../cases/change-variables.ts';
import { nextActivity } from '../cases/next-activity.ts';
import type { JsonObject } from '../json.ts';
import type { Activity, Process } from '../model.ts';
import type { Platform } from '../platform.ts';
import type { StoredCase } from '../storage/cases.ts';
import { acceptValues } from './accept-values.ts';
import { badRequest, notFound } from './api-error.ts';
import { readObject, readValues } from './body.ts';
import { int64 } from './int64.ts';
import type { Call, Operation } from './operation.ts';
import { requirePermission } from './permissions.ts';

/** `startCase` and `executeCurrentActivity`. */
export function caseOperations({ definitions, cases }: Platform): readonly Operation[] {
  const processOf = (idProcess: string): Process => {
    const process = definitions.processes.get(idProcess);
    if (process === undefined) throw notFound('PROCESS_NOT_FOUND', `There is no process "${idProcess}".`);
    return process;
  };

  const openCase = ({ user, params }: Call): { found: StoredCase; process: Process; asked: Activity } => {
    const idCase = int64(params['idCase']);
    const found = idCase === undefined ? undefined : cases.read(idCase);
    if (found === undefined) throw notFound('CASE_NOT_FOUND', `There is no case "${params['idCase']}".`);
    requirePermission(user, 'processes', { id: found.idProcess, action: 'execute' });

    const process = processOf(found.idProcess);
    const cdActivity = int64(params['cdActivity']);
    const asked = process.activities.find((activity) => activity.cdActivity === cdActivity);
    if (asked !== undefined) return { found, process, asked };
    throw notFound('ACTIVITY_NOT_FOUND', `The process has no activity "${params['cdActivity']}".`);
  };

  return [
    {
      name: 'startCase',
      method: 'POST',
      path: '/cases',
      answer({ user, text }) {
        const body = readObject(text);
        const process = processOf(readProcessId(body));
        requirePermission(user, 'processes', { id: process.idProcess, action: 'start' });
        const named = readValues(body, { isRequired: false });
        const values = acceptValues(changeVariables(process, { current: {}, named }));
        const started = cases.start(process.idProcess, { cdActivity: process.activities[0]?.cdActivity, values });
        return { status: 201, body: () => ({ ...idsOf(started), ...stateOf(process, started) }) };
      },
    },
    {
      name: 'executeCurrentActivity',
      method: 'PUT',
      path: '/cases/:idCase/activities/:cdActivity/execute',
      answer(call) {
        const { found, process, asked } = openCase(call);
        const named = readValues(readObject(call.text), { isRequired: false });
        const moved = cases.advance(found.idCase, ({ cdActivity, values: current }) => {
          requireCurrent(process, { asked, cdActivity });
          const values = acceptValues(changeVariables(process, { current, named, activity: asked }));
          return { values, cdActivity: nextActivity(process, asked, values) };
        });
        const executed = asked.cdActivity;
        return { status: 202, body: () => ({ idCase: found.idCase, executed, ...stateOf(process, moved) }) };
      },
    },
  ];
}

function readProcessId({ idProcess }: JsonObject): string {
  if (typeof idProcess === 'string') return idProcess;
  throw badRequest('MALFORMED_BODY', 'The body must have a text "idProcess".');
}

function requireCurrent(process: Process, { asked, cdActivity }: { asked: Activity; cdActivity: bigint | undefined }) {
  if (asked.cdActivity === cdActivity) return;
  if (cdActivity === undefined)
    throw badRequest('CASE_COMPLETED', 'The case is completed and has no current activity.');
  const current = `${cdActivity} ("${nameOf(process, cdActivity)}")`;
  const message = `The activity ${asked.cdActivity} is not the current one: that is ${current}.`;
  throw badRequest('ACTIVITY_NOT_CURRENT', message);
}

/** A case may stand at an activity that its process no longer has. */
const nameOf = ({ activities }: Process, cdActivity: bigint) =>
  activities.find((each) => each.cdActivity === cdActivity)?.name ?? 'no longer defined';
const idsOf = ({ idCase, idProcess }: StoredCase) => ({ idCase, idProcess });

function stateOf(process: Process, moved: StoredCase | undefined): JsonObject {
  const cdActivity = moved?.cdActivity;
  if (cdActivity === undefined) return { status: 'completed', activity: null };
  return { status: 'running', activity: { cdActivity, name: nameOf(process, cdActivity) } };
}
