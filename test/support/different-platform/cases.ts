import { valuesIn, type Written } from './values.ts';
import { type Call, isObject, parseBody, Refusal, type Reply } from './wire.ts';

/** The one process: each case goes through these activities, whose ids no double can hold. */
export const PROCESS = 'handover';
const ACTIVITIES = [
  { cdActivity: 9_007_199_254_740_993n, title: 'Inspect' },
  { cdActivity: 9_007_199_254_740_995n, title: 'Hand over' },
] as const;
const FIRST_CASE = 9_223_372_036_854_775_001n;

/** The case operations, by the interface's names. */
export function createCases(written: Written) {
  const reached = new Map<string, number>();

  const reply = (status: number, caseId: string): Reply => {
    const activity = ACTIVITIES[reached.get(caseId) ?? 0];
    // An int64 goes out digit by digit, which JSON.stringify cannot do.
    const current = activity && `{"cdActivity":${activity.cdActivity},"title":"${activity.title}"}`;
    const body = `{"idCase":${caseId},"currentActivity":${current ?? 'null'}}`;
    return { status, headers: { 'content-type': 'application/json' }, body };
  };

  /** Reads the body's variables; beside `others`, flat ones stand on their own. */
  const variablesIn = (call: Call, others: readonly string[]): void => {
    const body = parseBody(call);
    if (!isObject(body)) throw new Refusal(400, 'BODY_UNREADABLE', 'The body is no object.');
    if (written === 'sequence' && 'variables' in body) valuesIn(body['variables'], written);
    const known = [...others, 'variables'];
    const odd = written === 'flat' ? undefined : Object.keys(body).find((name) => !known.includes(name));
    if (odd !== undefined) throw new Refusal(400, 'MEMBER_UNKNOWN', `There is no member "${odd}".`);
  };

  return {
    startCase(call: Call): Reply {
      const body = parseBody(call);
      if (!isObject(body) || body['processCode'] !== PROCESS) {
        throw new Refusal(400, 'PROCESS_UNKNOWN', 'There is no such process.');
      }
      variablesIn(call, ['processCode']);
      const caseId = String(FIRST_CASE + BigInt(reached.size));
      reached.set(caseId, 0);
      return reply(201, caseId);
    },

    executeCurrentActivity(caseId: string, activityId: string, call: Call): Reply {
      const index = reached.get(caseId);
      if (index === undefined) throw new Refusal(404, 'CASE_UNKNOWN', `There is no case ${caseId}.`);
      variablesIn(call, []);
      if (String(ACTIVITIES[index]?.cdActivity) !== activityId) {
        throw new Refusal(400, 'ACTIVITY_NOT_CURRENT', `${activityId} is not the current activity.`);
      }
      reached.set(caseId, index + 1);
      return reply(202, caseId);
    },
  };
}
