import type { Dialect } from '../dialect.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { CaseRecord } from '../records.ts';
import { due, dueObject, pickText } from './members.ts';

/**
 * Reads CaseCreated or ActvityStarted (sic). `askedId` is used where the record does not repeat its `idCase`; with it,
 * an answer without a body is a record without members: a 202 has accepted the activity all the same.
 *
 * An object that holds an activity is taken before an id beside the case's own, since it can name the activity too.
 */
export function readCase(body: Json | undefined, dialect: Dialect, askedId?: string): CaseRecord {
  const record = body === undefined && askedId !== undefined ? {} : dueObject(body, 'case');
  const { activityId: idNames, activityName, id } = dialect.case;
  const caseId = due(askedId ?? pickText(record, id), 'case id');

  const holders: readonly JsonObject[] = [...Object.values(record).filter(isJsonObject), record];
  const holder = holders.find((candidate) => pickText(candidate, idNames) !== undefined);
  const activityId = holder && pickText(holder, idNames);
  if (holder === undefined || activityId === undefined) return { caseId, record };

  // The record's own `name` is the case's, not the activity's.
  const name = holder === record ? undefined : pickText(holder, activityName);
  return { caseId, activity: { activityId, name }, record };
}
