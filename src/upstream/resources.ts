import { isOneOf } from '../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { Client } from './client.ts';
import {
  decodeCase,
  decodeContent,
  decodeCreated,
  decodeForm,
  decodeList,
  decodeListed,
  decodeParameters,
  decodeRule,
} from './decoders.ts';
import type { Dialect } from './dialect.ts';
import { checkInt64, formatListQuery, joinRule, type ListQuery, OPERATIONS, PATHS } from './operations.ts';
import type {
  CallOptions,
  CaseRecord,
  FormRecord,
  InstanceKey,
  InstanceRecord,
  PageRecord,
  ParameterRecord,
  ReadOptions,
  ReadResult,
  RuleKey,
  RuleRecord,
} from './records.ts';

export type Resources = ReturnType<typeof createResources>;

/**
 * The interface's operations for one caller, by what they are about. Reads throw at once, and changes reject, where an id cannot
 * be in a path.
 */
export function createResources(client: Client, dialect: Dialect) {
  return {
    forms: createForms(client, dialect),
    instances: createInstances(client, dialect),
    cases: createCases(client, dialect),
    rules: createRules(client, dialect),
  };
}

/** The form operations, one method each. */
function createForms(client: Client, dialect: Dialect) {
  return {
    /** `getForm`. Its record is `undefined` when there is no such form. */
    read(formId: string, options?: ReadOptions): Promise<ReadResult<FormRecord | undefined>> {
      const call = { operation: OPERATIONS.getForm, path: PATHS.form(formId), ...options };
      return client
        .read(call, ({ body, headers }) => decodeForm(body, dialect, formId, headers.link))
        .catch(absentIfNotFound);
    },
    /** `getForms`, one page. */
    list(query: ListQuery, options?: ReadOptions): Promise<ReadResult<PageRecord<FormRecord>>> {
      const path = PATHS.forms() + formatListQuery(query, dialect);
      return client.read({ operation: OPERATIONS.getForms, path, ...options }, (answer) =>
        decodeList(answer, dialect, (item) => decodeForm(item, dialect)),
      );
    },
  };
}

/** The instance operations, one method each. A change resolves when it is accepted, not when it is visible. */
function createInstances(client: Client, dialect: Dialect) {
  const pathTo = ({ formId, instanceId }: InstanceKey) => PATHS.instance(formId, checkInt64('instanceId', instanceId));
  const bodyOf = (values: JsonObject): Json => encodeValues(values, dialect.instance.written, 'values', dialect);

  return {
    /** `getFormIntance` (sic). Its record is `undefined` when there is no such instance. */
    read(key: InstanceKey, options?: ReadOptions): Promise<ReadResult<InstanceRecord | undefined>> {
      const { formId, instanceId } = key;
      return client
        .read({ operation: OPERATIONS.getFormIntance, path: pathTo(key), ...options }, ({ body, headers }) => ({
          formId,
          instanceId,
          content: decodeContent(body, dialect, headers.link),
        }))
        .catch(absentIfNotFound);
    },
    /** `getFormIntances` (sic), one page. */
    list(formId: string, query: ListQuery, options?: ReadOptions): Promise<ReadResult<PageRecord<InstanceRecord>>> {
      const path = PATHS.instances(formId) + formatListQuery(query, dialect);
      return client.read({ operation: OPERATIONS.getFormIntances, path, ...options }, (answer) =>
        decodeList(answer, dialect, (item) => decodeListed(formId, item, dialect)),
      );
    },
    /** `createFormIntance` (sic). */
    async create(formId: string, values: JsonObject, options?: CallOptions): Promise<InstanceRecord> {
      const call = { path: PATHS.instances(formId), body: bodyOf(values), ...options };
      return client.call({ operation: OPERATIONS.createFormIntance, ...call }, (answer) =>
        decodeCreated(formId, answer, dialect),
      );
    },
    /** `updateFormIntance` (sic), a PUT. */
    async replace(key: InstanceKey, values: JsonObject, options?: CallOptions): Promise<void> {
      const call = { path: pathTo(key), body: bodyOf(values), ...options };
      await client.call({ operation: OPERATIONS.updateFormIntance, ...call }, ignoreBody);
    },
    /** `updateValuesOfFormIntance` (sic), a PATCH. */
    async update(key: InstanceKey, values: JsonObject, options?: CallOptions): Promise<void> {
      const call = { path: pathTo(key), body: bodyOf(values), ...options };
      await client.call({ operation: OPERATIONS.updateValuesOfFormIntance, ...call }, ignoreBody);
    },
    /** `deleteFormIntance` (sic). */
    async delete(key: InstanceKey, options?: CallOptions): Promise<void> {
      await client.call({ operation: OPERATIONS.deleteFormIntance, path: pathTo(key), ...options }, ignoreBody);
    },
  };
}

/** The input of a case or an activity. */
export interface CaseInput {
  readonly values?: JsonObject | undefined;
  /** Further members of the body, for what the dialect has no name for. */
  readonly attributes?: JsonObject | undefined;
}

/** The case operations, one method each. Both have an effect each time. */
function createCases(client: Client, dialect: Dialect) {
  const bodyOf = ({ values, attributes }: CaseInput): JsonObject => {
    if (values === undefined) return { ...attributes };
    const { written, values: member } = dialect.case;
    const encoded = encodeValues(values, written, member, dialect);
    // Beside the process there is no room for a bare sequence, so it stands under the values' name.
    return { ...attributes, ...(isJsonObject(encoded) ? encoded : { [member]: encoded }) };
  };

  return {
    /** `startCase`. */
    async start(process: string, input: CaseInput, options?: CallOptions): Promise<CaseRecord> {
      const body = { ...bodyOf(input), [dialect.case.process]: process };
      const call = { operation: OPERATIONS.startCase, path: PATHS.cases(), body, ...options };
      return client.call(call, (answer) => decodeCase(answer.body, dialect));
    },
    /** `executeCurrentActivity`. */
    async execute(caseId: string, activityId: string, input: CaseInput, options?: CallOptions): Promise<CaseRecord> {
      const path = PATHS.executeActivity(checkInt64('caseId', caseId), checkInt64('activityId', activityId));
      const call = { operation: OPERATIONS.executeCurrentActivity, path, body: bodyOf(input), ...options };
      return client.call(call, (answer) => decodeCase(answer.body, dialect, caseId));
    },
  };
}

/** The rule operations, one method each. */
function createRules(client: Client, dialect: Dialect) {
  const segmentOf = ({ component, version }: RuleKey) =>
    joinRule(component, version, dialect.rule.isHyphenInVersionAllowed);
  return {
    /** `getParameters`: a PUT, but a read. */
    read(key: RuleKey, options?: ReadOptions): Promise<ReadResult<RuleRecord>> {
      const path = PATHS.ruleParameters(segmentOf(key));
      return client.read({ operation: OPERATIONS.getParameters, path, ...options }, ({ body }) =>
        decodeRule(key, body, dialect),
      );
    },
    /** `execute`. Gives the output parameters. */
    async execute(
      key: RuleKey,
      parameters: readonly ParameterRecord[],
      options?: CallOptions,
    ): Promise<ParameterRecord[]> {
      const call = { path: PATHS.executeRule(segmentOf(key)), body: encodeParameters(parameters, dialect), ...options };
      return client.call({ operation: OPERATIONS.execute, ...call }, ({ body }) => decodeParameters(body, dialect));
    },
  };
}

// The interface shows no body on 202 and 204; one that comes all the same holds nothing that we promised.
const ignoreBody = (): void => undefined;

const ABSENT = {
  notModified: false,
  record: undefined,
  validator: undefined,
  bytes: 100,
} as const;

function absentIfNotFound(error: unknown): ReadResult<undefined> {
  if (isOneOf(['not-found'], error)) return ABSENT;
  throw error;
}

/** Encodes values in the dialect's shape: an object under `member`, the values alone, or a sequence of name and value. */
function encodeValues(
  values: JsonObject,
  shape: Dialect['instance']['written'],
  member: string,
  { instance }: Dialect,
): Json {
  if (shape === 'flat') return values;
  if (shape === 'values') return Object.fromEntries([[member, values]]);
  return Object.entries(values).map(([name, value]) =>
    Object.fromEntries([
      [instance.entryName, name],
      [instance.entryValue, value],
    ]),
  );
}

/** Encodes ParametersList: an array of name, type and value, wrapped where the platform wants an object. */
function encodeParameters(parameters: readonly ParameterRecord[], { rule }: Dialect): Json {
  const list = parameters.map(({ name, type, value }) =>
    Object.fromEntries<Json>([
      [rule.parameterName, name],
      ...(type === undefined ? [] : [[rule.parameterType, type] as const]),
      [rule.parameterValue, value ?? null],
    ]),
  );
  return rule.wrap === null ? list : Object.fromEntries([[rule.wrap, list]]);
}
