import type { Dialect } from '../dialect.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { CaseRecord, ParameterRecord, RuleKey, RuleRecord } from '../records.ts';
import { onlyArray } from './list.ts';
import { due, dueObject, pickArray, pickText } from './members.ts';

/**
 * Decodes CaseCreated or ActvityStarted (sic). `knownId` is used where the record does not repeat its `idCase`; with it, an
 * answer without a body is a record without members: a 202 has accepted the activity all the same.
 *
 * An object that holds an activity is taken before an id beside the case's own, since it can name the activity too.
 */
export function decodeCase(body: Json | undefined, dialect: Dialect, knownId?: string): CaseRecord {
  const record = body === undefined && knownId !== undefined ? {} : dueObject(body, 'case');
  const { activityId: idNames, activityName, id } = dialect.case;
  const caseId = due(knownId ?? pickText(record, id), 'case id');

  const holders: readonly JsonObject[] = [...Object.values(record).filter(isJsonObject), record];
  const holder = holders.find((candidate) => pickText(candidate, idNames) !== undefined);
  const activityId = holder && pickText(holder, idNames);
  if (holder === undefined || activityId === undefined) return { caseId, record };

  // The record's own `name` is the case's, not the activity's.
  const name = holder === record ? undefined : pickText(holder, activityName);
  return { caseId, activity: { activityId, name }, record };
}

/** Decodes GetParameters. */
export function decodeRule(key: RuleKey, body: Json | undefined, dialect: Dialect): RuleRecord {
  const record = dueObject(body, 'rule');
  return {
    ...key,
    name: pickText(record, dialect.rule.name),
    descriptiveName: pickText(record, dialect.rule.descriptiveName),
    parameters: decodeParameters(record, dialect),
  };
}

/** Decodes ParametersList: a bare array, a member under a known name, or the only array of an object besides its links. */
export function decodeParameters(body: Json | undefined, dialect: Dialect): ParameterRecord[] {
  const list = Array.isArray(body) ? body : listIn(dueObject(body, 'list of parameters'), dialect);
  return due(list, 'list of parameters')
    .filter(isJsonObject)
    .flatMap((item) => decodeParameter(item, dialect));
}

function listIn(object: JsonObject, dialect: Dialect): readonly Json[] | undefined {
  return pickArray(object, dialect.rule.parameters) ?? onlyArray(object, dialect);
}

function decodeParameter(item: JsonObject, { rule }: Dialect): ParameterRecord[] {
  const name = pickText(item, [rule.parameterName]);
  if (name === undefined) return [];
  return [{ name, type: pickText(item, [rule.parameterType]), value: item[rule.parameterValue] }];
}
