import type { ReadPlatform } from '../../../src/cache/cache.ts';
import type { Upstream } from '../../../src/upstream/index.ts';
import { OPERATIONS, type OperationName } from '../../../src/upstream/operations.ts';
import type { InstanceKey, RuleKey } from '../../../src/upstream/records.ts';
import type { ListQuery } from '../../../src/upstream/search.ts';
import { ROWS } from '../../operations/index.ts';

interface OperationCall {
  /** Whether its request has a body. */
  readonly hasBody: boolean;
  /** Calls the operation once. */
  readonly call: (upstream: Upstream) => Promise<unknown>;
}

/**
 * One call of every operation except `getToken`, as rows for `it.each`: name, method, and the call.
 */
export const CALL_ROWS = Object.entries(OPERATIONS).map(
  ([name, of]): [string, string, OperationCall] => {
    const args = ROWS[name as OperationName].args as never;
    const call = (upstream: Upstream) =>
      of.is === 'read'
        ? upstream.read<never, unknown>(of, args)
        : upstream.change<never, unknown>(of, args);
    return [name, of.method, { hasBody: 'body' in of, call }];
  },
);

/** A response with which every call succeeds. */
export const ANSWER = {
  status: 200,
  body: Object.assign({}, ...Object.values(ROWS).map(({ answer }) => answer)) as object,
};

/** Short functions for the usual reads. */
export type Reads = ReturnType<typeof toReads>;

export const toReads = (read: ReadPlatform) => ({
  form: (formId: string) => read(OPERATIONS.getForm, { formId }),
  forms: (query: ListQuery) => read(OPERATIONS.getForms, query),
  instance: (key: InstanceKey) => read(OPERATIONS.getFormIntance, key),
  instances: (formId: string, query: ListQuery) =>
    read(OPERATIONS.getFormIntances, { formId, ...query }),
  rule: (key: RuleKey) => read(OPERATIONS.getParameters, key),
});
