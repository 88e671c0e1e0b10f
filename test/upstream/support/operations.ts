import type { Upstream } from '../../../src/upstream/index.ts';
import type { OperationName } from '../../../src/upstream/operations.ts';

interface OperationCall {
  readonly method: string;
  /** Whether its request has a body. */
  readonly hasBody: boolean;
  /** Calls the operation once. */
  readonly call: (upstream: Upstream) => Promise<unknown>;
}

const KEY = { formId: 'a', instanceId: '1' };
const RULE = { component: 'r', version: '1' };
const PAGE = { where: [], orderBy: [], pageNumber: 1, perPage: 10 };

/** One call of every operation of the interface but `getToken`. */
export const CALLS = {
  getForms: { method: 'GET', hasBody: false, call: ({ forms }) => forms.list(PAGE) },
  getForm: { method: 'GET', hasBody: false, call: ({ forms }) => forms.read('a') },
  getFormIntances: { method: 'GET', hasBody: false, call: ({ instances }) => instances.list('a', PAGE) },
  createFormIntance: { method: 'POST', hasBody: true, call: ({ instances }) => instances.create('a', {}) },
  getFormIntance: { method: 'GET', hasBody: false, call: ({ instances }) => instances.read(KEY) },
  updateFormIntance: { method: 'PUT', hasBody: true, call: ({ instances }) => instances.replace(KEY, {}) },
  updateValuesOfFormIntance: { method: 'PATCH', hasBody: true, call: ({ instances }) => instances.update(KEY, {}) },
  deleteFormIntance: { method: 'DELETE', hasBody: false, call: ({ instances }) => instances.delete(KEY) },
  startCase: { method: 'POST', hasBody: true, call: ({ cases }) => cases.start('p', {}) },
  executeCurrentActivity: { method: 'PUT', hasBody: true, call: ({ cases }) => cases.execute('1', '2', {}) },
  getParameters: { method: 'PUT', hasBody: false, call: ({ rules }) => rules.read(RULE) },
  execute: { method: 'PUT', hasBody: true, call: ({ rules }) => rules.execute(RULE, []) },
} satisfies Readonly<Record<OperationName, OperationCall>>;

/** The answer that every call above succeeds with. */
export const ANSWER = { status: 200, body: { idForm: 'a', idInstance: 1, idCase: 1, items: [], parameters: [] } };

/** Rows for `it.each`: name, method, and the rest. */
export const CALL_ROWS: readonly (readonly [string, string, OperationCall])[] = Object.entries(CALLS).map(
  ([name, row]) => [name, row.method, row],
);
