import { graphqlRequest, type RequestTemplate } from '../load/requests.ts';

/** A query, written for each kind of graph. */
export interface Workload {
  readonly name: string;
  readonly about: string;
  /** Whether all requests are equal. Otherwise each has arguments that no earlier request had. */
  readonly isEqual: boolean;
  readonly requests: Readonly<Record<GraphKind, RequestTemplate>>;
}

/**
 * `peer`: a graph written for these forms, with values as fields. `typed`: Caseway's types of these
 * forms. `generic`: Caseway's graph of any form, with values requested by name. `mesh`: a graph
 * that Mesh creates of JSON schemas, with the platform's names.
 */
export type GraphKind = 'peer' | 'typed' | 'generic' | 'mesh';

const VALUES = ['title', 'amount', 'open', 'quantity', 'city', 'street', 'phone', 'email', 'note'];
const value = (name: string) => `${name}: value(field: "${name}")`;

const ROWS = 'instanceId title form { name } owner { name }';
const GENERIC_OWNER = `owner: reference(field: "owner") { ${value('name')} }`;
const GENERIC_ROWS = `instanceId ${value('title')} form { name } ${GENERIC_OWNER}`;
const FIELDS = `instanceId ${VALUES.join(' ')}`;
const GENERIC_FIELDS = `instanceId ${VALUES.map(value).join(' ')}`;

/** Creates a query for a page of 100 instances of a form, with these selections. */
function list(name: string, selection: string, genericSelection: string): Workload['requests'] {
  const variables = '{"formId":"thing-<n>","page":<n+1>}';
  const ofForm = (args: string, fields: string) =>
    `query ${name}($formId: ID!, $page: Int!) { instances(${args}) { nodes { ${fields} } } }`;
  const ofThings = `instances: things(first: 100, page: $page) { nodes { ${selection} } }`;
  return {
    peer: graphqlRequest(ofForm('formId: $formId, page: $page', selection), variables),
    generic: graphqlRequest(
      ofForm('formId: $formId, first: 100, page: $page', genericSelection),
      variables,
    ),
    mesh: graphqlRequest(
      `query ${name}($formId: String!, $page: Int!) {
        instances(formId: $formId, page: $page) {
          nodes: items { ${selection.replace('instanceId', 'instanceId: idInstance')} }
        }
      }`,
      variables,
    ),
    // A document contains the name of its type, so the form is the same in all requests.
    typed: graphqlRequest(`query ${name}($page: Int!) { ${ofThings} }`, '{"page":<n+1>}'),
  };
}

/** Uses the same request for every kind of graph. */
const ofAllGraphs = (request: RequestTemplate) => ({
  peer: request,
  typed: request,
  generic: request,
  mesh: request,
});

const W1 = list('W1', ROWS, GENERIC_ROWS);
const FORM_FIELDS = 'name fields { name label type required }';
const W2 = `query W2($formId: ID!) { form(formId: $formId) { formId ${FORM_FIELDS} } }`;
const MESH_W2 = `query W2($formId: String!) { form(formId: $formId) { formId: idForm ${FORM_FIELDS} } }`;
const FORM_ID = '{"formId":"thing-<n>"}';
const W3 = '{ __typename }';

/** The order of this list is the order in a process. */
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
    requests: {
      ...ofAllGraphs(graphqlRequest(W2, FORM_ID)),
      mesh: graphqlRequest(MESH_W2, FORM_ID),
    },
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
 * Returns the workloads with these names, or all.
 *
 * @throws {Error} for an unknown name.
 */
export function chooseWorkloads(names: readonly string[]): readonly Workload[] {
  const unknown = names.filter((name) => !WORKLOADS.some((workload) => workload.name === name));
  if (unknown.length > 0) throw new Error(`Unknown workload: ${unknown.join(', ')}`);
  return WORKLOADS.filter(({ name }) => names.length === 0 || names.includes(name));
}
