import type { Dialect } from '../dialect.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { ParameterRecord, RuleKey, RuleRecord } from '../records.ts';
import { onlyArray } from './list.ts';
import { due, dueObject, pickArray, pickText } from './members.ts';

/** Reads GetParameters. */
export function readRule(key: RuleKey, body: Json | undefined, dialect: Dialect): RuleRecord {
  const record = dueObject(body, 'rule');
  return {
    ...key,
    name: pickText(record, dialect.rule.name),
    descriptiveName: pickText(record, dialect.rule.descriptiveName),
    parameters: readParameters(record, dialect),
  };
}

/** Reads ParametersList: a bare array, a member under a known name, or the only array of an object besides its links. */
export function readParameters(body: Json | undefined, dialect: Dialect): ParameterRecord[] {
  const list = Array.isArray(body) ? body : listIn(dueObject(body, 'list of parameters'), dialect);
  return due(list, 'list of parameters')
    .filter(isJsonObject)
    .flatMap((item) => readParameter(item, dialect));
}

function listIn(object: JsonObject, dialect: Dialect): readonly Json[] | undefined {
  return pickArray(object, dialect.rule.parameters) ?? onlyArray(object, dialect);
}

function readParameter(item: JsonObject, { rule }: Dialect): ParameterRecord[] {
  const name = pickText(item, [rule.parameterName]);
  if (name === undefined) return [];
  return [{ name, type: pickText(item, [rule.parameterType]), value: item[rule.parameterValue] }];
}
