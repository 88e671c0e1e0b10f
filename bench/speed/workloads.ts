/** What is asked, in the words of each kind of server. */
export interface Workload {
  readonly name: 'W1' | 'W2' | 'W3' | 'W4';
  readonly about: string;
  /** For a graph that was written for exactly these forms, where each value is a field. */
  readonly typed: string;
  /** The same for Caseway's generic graph, where a value is asked for by its name. */
  readonly generic: string;
  /** Whether there is anything in it to vary. */
  readonly hasArguments: boolean;
}

/** Each once with equal arguments, and once with arguments that no request before has had. */
export const ARGUMENTS = ['equal', 'varying'] as const;
export type Arguments = (typeof ARGUMENTS)[number];

const VALUES = ['title', 'amount', 'open', 'quantity', 'city', 'street', 'phone', 'email', 'note'];
const value = (name: string) => `${name}: value(field: "${name}")`;
const FORM = 'query W2($formId: FORM_ID) { form(formId: $formId) { formId name fields { name label type required } } }';

export const WORKLOADS: readonly Workload[] = [
  {
    name: 'W1',
    about: 'a list of 100 instances, each with its form and one of ten owners',
    typed: `query W1($formId: FORM_ID, $page: Int!) { instances(formId: $formId, page: $page) { nodes { instanceId title form { name } owner { name } } } }`,
    generic: `query W1($formId: ID!, $page: Int!) { instances(formId: $formId, first: 100, page: $page) { nodes { instanceId ${value('title')} form { name } owner: reference(field: "owner") { ${value('name')} } } } }`,
    hasArguments: true,
  },
  {
    name: 'W2',
    about: 'one form of 20 fields',
    typed: FORM,
    generic: FORM,
    hasArguments: true,
  },
  {
    name: 'W3',
    about: 'a constant',
    typed: '{ __typename }',
    generic: '{ __typename }',
    hasArguments: false,
  },
  {
    name: 'W4',
    about: 'a list of 100 instances with ten fields each',
    typed: `query W4($formId: FORM_ID, $page: Int!) { instances(formId: $formId, page: $page) { nodes { instanceId ${VALUES.join(' ')} } } }`,
    generic: `query W4($formId: ID!, $page: Int!) { instances(formId: $formId, first: 100, page: $page) { nodes { instanceId ${VALUES.map(value).join(' ')} } } }`,
    hasArguments: true,
  },
];
