import type { ReadPlatform } from '../../../src/cache/cache.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { CallOptions, ReadOptions } from '../../../src/upstream/call.ts';
import type { Upstream } from '../../../src/upstream/index.ts';
import type { OperationName } from '../../../src/upstream/operations.ts';
import { OPERATIONS } from '../../../src/upstream/operations.ts';
import type { InstanceKey, ParameterRecord, RuleKey } from '../../../src/upstream/records.ts';
import type { ListQuery } from '../../../src/upstream/search.ts';
import { ROWS } from '../../operations/index.ts';

interface OperationCall {
  readonly method: string;
  /** Whether its request has a body. */
  readonly hasBody: boolean;
  /** Calls the operation once. */
  readonly call: (upstream: Upstream) => Promise<unknown>;
}

/** One call of every operation of the interface but `getToken`. */
export const CALLS = Object.fromEntries(
  Object.entries(OPERATIONS).map(([name, of]): [string, OperationCall] => {
    const args = ROWS[name as OperationName].args as never;
    const call = (upstream: Upstream) =>
      of.is === 'read' ? upstream.read<never, unknown>(of, args) : upstream.change<never, unknown>(of, args);
    return [name, { method: of.method, hasBody: 'body' in of, call }];
  }),
) as Readonly<Record<OperationName, OperationCall>>;

/** The operations in few words. */
export function inWords({ read, change }: Upstream) {
  const { updateFormIntance, updateValuesOfFormIntance, deleteFormIntance, startCase, execute } = OPERATIONS;
  return {
    forms: {
      read: (formId: string, options?: ReadOptions) => read(OPERATIONS.getForm, { formId }, options),
      list: (query: ListQuery, options?: ReadOptions) => read(OPERATIONS.getForms, query, options),
    },
    instances: {
      read: (key: InstanceKey, options?: ReadOptions) => read(OPERATIONS.getFormIntance, key, options),
      list: (formId: string, query: ListQuery, options?: ReadOptions) =>
        read(OPERATIONS.getFormIntances, { formId, ...query }, options),
      create: (formId: string, values: JsonObject) => change(OPERATIONS.createFormIntance, { formId, values }),
      replace: (key: InstanceKey, values: JsonObject) => change(updateFormIntance, { ...key, values }),
      update: (key: InstanceKey, values: JsonObject) => change(updateValuesOfFormIntance, { ...key, values }),
      delete: (key: InstanceKey) => change(deleteFormIntance, key),
    },
    cases: {
      start: (process: string, input: CaseInput, options?: CallOptions) =>
        change(startCase, { process, ...input }, options),
      execute: (caseId: string, activityId: string, input: CaseInput) =>
        change(OPERATIONS.executeCurrentActivity, { caseId, activityId, ...input }),
    },
    rules: {
      read: (key: RuleKey, options?: ReadOptions) => read(OPERATIONS.getParameters, key, options),
      execute: (key: RuleKey, parameters: readonly ParameterRecord[]) => change(execute, { ...key, parameters }),
    },
  };
}

/** The input of a case or an activity. */
export interface CaseInput {
  readonly values?: JsonObject;
  readonly attributes?: JsonObject;
}

/** Reads in few words. */
export type Reads = ReturnType<typeof toReads>;

export const toReads = (read: ReadPlatform) => ({
  form: (formId: string) => read(OPERATIONS.getForm, { formId }),
  forms: (query: ListQuery) => read(OPERATIONS.getForms, query),
  instance: (key: InstanceKey) => read(OPERATIONS.getFormIntance, key),
  instances: (formId: string, query: ListQuery) => read(OPERATIONS.getFormIntances, { formId, ...query }),
  rule: (key: RuleKey) => read(OPERATIONS.getParameters, key),
});

/** The answer that every call above succeeds with. */
export const ANSWER = { status: 200, body: { idForm: 'a', idInstance: 1, idCase: 1, items: [], parameters: [] } };

/** Rows for `it.each`: name, method, and the rest. */
export const CALL_ROWS: readonly (readonly [string, string, OperationCall])[] = Object.entries(CALLS).map(
  ([name, row]) => [name, row.method, row],
);
