import { assert, asyncProperty, constantFrom, oneof, record, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';

import { startCountedGateway } from '../../support/gateway.ts';
import { randomQuery } from '../cost/random-operation.ts';

const UNBOUNDED = {
  COST_MAX_CALLS: '100000',
  ANSWER_FIELDS_MAX: '1000000',
  PAIRS_MAX: '1000000',
  ALIASES_MAX: '100000',
  DEPTH_MAX: '100',
};
/** A user who may not see everything, so that some fields fail. */
const LIMITED = { UPSTREAM_USERNAME: 'auditor', UPSTREAM_PASSWORD: 'auditor' };

const ACCEPTS = ['*/*', 'application/json', 'application/graphql-response+json', 'text/html, application/json;q=0.5'];
const VARIABLES = [
  { id: 'supplier' },
  { id: 'nothing', first: 2 },
  { id: 'a:b' },
  { id: 7 },
  { first: 500 },
  { no: 1 },
  {},
];

const withVariables = tuple(constantFrom('instances', 'form'), constantFrom(...VARIABLES)).map(
  ([field, variables]) => ({
    query:
      field === 'form'
        ? 'query Q($id: ID!, $first: Int = 3) { form(formId: $id) { name instances(first: $first) { nodes { values } } } }'
        : `query Q($id: ID!, $first: Int) { instances(formId: $id, first: $first) { totalCount edges { cursor } pageInfo { endCursor }
          nodes { id value(field: "name") reference(field: "name") { id } } } }`,
    variables,
    operationName: 'Q',
  }),
);
const requests = record({
  body: oneof(
    randomQuery.map((query) => ({ query })),
    withVariables,
    constantFrom(
      { query: '{ __typename viewer { name } }' },
      { query: 'mutation { signOut { viewer { name } } }' },
      { query: 'mutation { deleteInstance(input: { formId: "nothing", instanceId: 1 }) { deletedId } }' },
      { query: '{ __schema { queryType { name } } }' },
    ),
  ),
  accept: constantFrom(...ACCEPTS),
});

/** Everything that a client sees, but what is new each time. */
async function ask(url: string, body: object, accept: string) {
  const headers = { 'content-type': 'application/json', accept };
  const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) });
  const seen = [...response.headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
  const text = (await response.text()).replaceAll(response.headers.get('x-request-id') ?? '', 'ID');
  return { status: response.status, headers: seen, text };
}

describe('both lanes', () => {
  it.each([
    ['everything may be seen', {}],
    ['something fails', LIMITED],
  ])(
    'give equal answers, byte by byte, with equal status and headers, where %s',
    async (_where, user) => {
      const long = await startCountedGateway({ ...UNBOUNDED, ...user, SHORT_LANE: 'off' });
      const short = await startCountedGateway({ ...UNBOUNDED, ...user });

      await assert(
        asyncProperty(requests, async ({ body, accept }) => {
          const expected = await ask(long.url, body, accept);

          // By the second time the server keeps the document, and from the third on the lane has the operation.
          const answers = [1, 2, 3, 4].map(() => () => ask(short.url, body, accept));
          for (const answer of answers) expect(await answer()).toEqual(expected);
        }),
        { numRuns: 120 },
      );
    },
    60_000,
  );
});
