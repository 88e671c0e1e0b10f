import { graphqlRequest, type RequestTemplate } from '../load/requests.ts';

/** A question, in the words of each kind of server. */
export interface Workload {
  readonly name: string;
  readonly about: string;
  /** Whether all requests are equal; otherwise each has arguments that no request before it had. */
  readonly isEqual: boolean;
  readonly requests: Readonly<Record<GraphKind, RequestTemplate>>;
}

/**
 * `peer`: a graph written for exactly these forms, whose values are fields. `typed`: Caseway's types of these forms. `generic`:
 * Caseway's graph of any form, whose values are requested by name.
 */
export type GraphKind = 'peer' | 'typed' | 'generic';

const VALUES = ['title', 'amount', 'open', 'quantity', 'city', 'street', 'phone', 'email', 'note'];
const value = (name: string) => `${name}: value(field: "${name}")`;

const ROWS = 'instanceId title form { name } owner { name }';
const GENERIC_ROWS = `instanceId ${value('title')} form { name } owner: reference(field: "owner") { ${value('name')} }`;
const FIELDS = `instanceId ${VALUES.join(' ')}`;
const GENERIC_FIELDS = `instanceId ${VALUES.map(value).join(' ')}`;

/** A page of 100 instances of a form, with the given selections. */
function list(name: string, selection: string, genericSelection: string): Workload['requests'] {
  const variables = '{"formId":"thing-<n>","page":<n+1>}';
  return {
    peer: graphqlRequest(
      `query ${name}($formId: ID!, $page: Int!) { instances(formId: $formId, page: $page) { nodes { ${selection} } } }`,
      variables,
    ),
    generic: graphqlRequest(
      `query ${name}($formId: ID!, $page: Int!) { instances(formId: $formId, first: 100, page: $page) { nodes { ${genericSelection} } } }`,
      variables,
    ),
    // A document names its type, so that the form is the same in all requests.
    typed: graphqlRequest(
      `query ${name}($page: Int!) { instances: things(first: 100, page: $page) { nodes { ${selection} } } }`,
      '{"page":<n+1>}',
    ),
  };
}

/** One request for every kind of graph. */
const ofAllGraphs = (request: RequestTemplate) => ({ peer: request, typed: request, generic: request });

const W1 = list('W1', ROWS, GENERIC_ROWS);
const W2 = 'query W2($formId: ID!) { form(formId: $formId) { formId name fields { name label type required } } }';
const W3 = '{ __typename }';

/** In the order in which a process is asked. */
export const WORKLOADS: readonly Workload[] = [
  {
    name: 'W1',
    about: '100 instances, each with its form and one of ten owners',
    isEqual: false,
    requests: W1,
  },
  {
    name: 'W4',
    about: '100 instances with ten fields each',
    isEqual: false,
    requests: list('W4', FIELDS, GENERIC_FIELDS),
  },
  {
    name: 'W2',
    about: 'one form of 20 fields',
    isEqual: false,
    requests: ofAllGraphs(graphqlRequest(W2, '{"formId":"thing-<n>"}')),
  },
  {
    name: 'W3',
    about: 'a constant',
    isEqual: true,
    requests: ofAllGraphs(graphqlRequest(W3)),
  },
  {
    name: 'W1-equal',
    about: 'W1, all requests equal',
    isEqual: true,
    requests: W1,
  },
];

/**
 * The workloads with these names, or all.
 *
 * @throws {Error} for a name that none has.
 */
export function chooseWorkloads(names: readonly string[]): readonly Workload[] {
  const unknown = names.filter((name) => !WORKLOADS.some((workload) => workload.name === name));
  if (unknown.length > 0) throw new Error(`Unknown workload: ${unknown.join(', ')}`);
  return WORKLOADS.filter(({ name }) => names.length === 0 || names.includes(name));
}
