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

/** The interface's operations but `getToken`, whose shape is its variant's. Source: the interface's "Operations". */
export const OPERATIONS = {
  getForms: { name: 'getForms', method: 'GET', ...read },
  getForm: { name: 'getForm', method: 'GET', ...read },
  getFormIntances: { name: 'getFormIntances', method: 'GET', ...read },
  createFormIntance: { name: 'createFormIntance', method: 'POST', ...write },
  getFormIntance: { name: 'getFormIntance', method: 'GET', ...read },
  updateFormIntance: { name: 'updateFormIntance', method: 'PUT', ...write },
  updateValuesOfFormIntance: { name: 'updateValuesOfFormIntance', method: 'PATCH', ...write },
  deleteFormIntance: { name: 'deleteFormIntance', method: 'DELETE', ...write },
  startCase: { name: 'startCase', method: 'POST', ...write, isBodyDue: true },
  executeCurrentActivity: { name: 'executeCurrentActivity', method: 'PUT', ...write },
  getParameters: { name: 'getParameters', method: 'PUT', ...read },
  execute: { name: 'execute', method: 'PUT', ...write, isBodyDue: true },
} as const satisfies Readonly<Record<string, Operation>>;

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
