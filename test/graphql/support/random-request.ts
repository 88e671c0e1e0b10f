import { type Arbitrary, constantFrom, oneof, record, tuple } from 'fast-check';

import { randomQuery } from './random-operation.ts';

/** A GraphQL request as a client sends it. */
export interface RandomRequest {
  readonly body: {
    readonly query: string;
    readonly variables?: Readonly<Record<string, unknown>>;
    readonly operationName?: string;
  };
  readonly accept: string;
  readonly method: string;
}

const ACCEPTS = ['*/*', 'application/json', 'application/graphql-response+json', 'text/html, application/json;q=0.5'];
const VARIABLES = [
  { id: 'supplier' },
  { id: 'nothing', first: 2 },
  { id: 'a:b' },
  { id: 7 },
  { first: 500 },
  { no: 1 },
  { id: null },
  { isShort: null },
  {},
];
const WITH_VARIABLES = [
  'query Q($id: ID = "supplier", $isShort: Boolean = false) { form(formId: $id) { name version @skip(if: $isShort) } }',
  'query Q($id: ID!, $first: Int = 3) { form(formId: $id) { name instances(first: $first) { nodes { values } } } }',
  `query Q($id: ID!, $first: Int) { instances(formId: $id, first: $first) { totalCount edges { cursor }
    pageInfo { endCursor } nodes { id value(field: "name") reference(field: "name") { id } } } }`,
];
const OTHERS = [
  '{ __typename viewer { name } }',
  '{ __schema { queryType { name } } }',
  'mutation { signOut { viewer { name } } }',
  'mutation { deleteInstance(input: { formId: "nothing", instanceId: 1 }) { deletedId } }',
  `mutation U { updateInstance(input: { formId: "supplier", instanceId: 1, values: { name: "Same" } }) {
    instance { values form { name } } } }`,
  `mutation { a: executeRule(input: { component: "approval-level", version: "1.0",
      parameters: [{ name: "amount", type: "decimal", value: 250.5 }] }) { outputs { name value } }
    b: updateInstance(input: { formId: "supplier", instanceId: 2, values: { no: 1 } }) { instance { id } } }`,
];

/** Random requests: valid ones, with variables that fit or do not, of all kinds of operation, for all kinds of client. */
export const randomRequest: Arbitrary<RandomRequest> = record({
  body: oneof(
    { arbitrary: randomQuery.map((query) => ({ query })), weight: 2 },
    tuple(constantFrom(...WITH_VARIABLES), constantFrom(...VARIABLES)).map(([query, variables]) => ({
      query,
      variables,
      operationName: 'Q',
    })),
    constantFrom(...OTHERS).map((query) => ({ query })),
  ),
  accept: constantFrom(...ACCEPTS),
  method: constantFrom('POST', 'POST', 'GET'),
});
