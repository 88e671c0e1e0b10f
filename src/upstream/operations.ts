import { path } from './path.ts';

/** How one operation of the interface is called. */
export interface Operation {
  /** Its name in the interface, spelled as there. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * Whether it has no effect and may be repeated. Decided by operation, never derived from the method:
   * here a PUT executes activities and rules, and another PUT only reads.
   */
  readonly isRead: boolean;
  /** Whether a 2xx answer must have a JSON body. */
  readonly isBodyDue: boolean;
}

const read = { isRead: true, isBodyDue: true } as const;
const write = { isRead: false, isBodyDue: false } as const;

const TABLE = {
  getForms: { method: 'GET', ...read },
  getForm: { method: 'GET', ...read },
  getFormIntances: { method: 'GET', ...read },
  createFormIntance: { method: 'POST', ...write },
  getFormIntance: { method: 'GET', ...read },
  updateFormIntance: { method: 'PUT', ...write },
  updateValuesOfFormIntance: { method: 'PATCH', ...write },
  deleteFormIntance: { method: 'DELETE', ...write },
  startCase: { method: 'POST', ...write, isBodyDue: true },
  executeCurrentActivity: { method: 'PUT', ...write },
  getParameters: { method: 'PUT', ...read },
  execute: { method: 'PUT', ...write, isBodyDue: true },
} as const satisfies Readonly<Record<string, Omit<Operation, 'name'>>>;

export type OperationName = keyof typeof TABLE;

/** The interface's operations but `getToken`, whose shape is its variant's. Source: the interface's "Operations". */
export const OPERATIONS = Object.fromEntries(
  Object.entries(TABLE).map(([name, row]) => [name, { name, ...row }]),
) as Readonly<Record<OperationName, Operation>>;

/** Where each kind of resource stands, below `{base_url}/v1.0`. */
export const PATHS = {
  forms: () => path`/forms`,
  form: (formId: string) => path`/forms/${formId}`,
  instances: (formId: string) => path`/forms/${formId}/instances`,
  instance: (formId: string, instanceId: string) => path`/forms/${formId}/instances/${instanceId}`,
  cases: () => path`/cases`,
  executeActivity: (caseId: string, activityId: string) => path`/cases/${caseId}/activities/${activityId}/execute`,
  ruleParameters: (rule: string) => path`/rules/${rule}/get-parameters`,
  executeRule: (rule: string) => path`/rules/${rule}/execute`,
} as const;
