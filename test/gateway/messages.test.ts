import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startGateway, type TestGateway } from '../support/gateway.ts';

const BY_STATUS =
  'query ($where: [CriterionInput!]) { instances(formId: "purchase-request", where: $where) { totalCount } }';
const ORDERED = (direction: string) =>
  `{ forms(orderBy: [{ field: "name", direction: ${direction} }]) { totalCount } }`;

/** Mistakes in a document, and GraphQL's own messages for them. */
const MISTAKES: readonly [what: string, query: string, variables: Readonly<Record<string, unknown>>, says: RegExp][] = [
  [
    'a choice in another case',
    ORDERED('desc'),
    {},
    /^Value "desc" does not exist in "\w+" enum\. Did you mean the enum value "DESC"/,
  ],
  [
    'a choice in quotes',
    ORDERED('"DESC"'),
    {},
    /^Enum "\w+" cannot represent non-enum value: "DESC"\. Did you mean the enum value "DESC"/,
  ],
  [
    'a choice in another case, in a variable',
    BY_STATUS,
    { where: [{ field: 'status', operator: 'eq', value: 'approved' }] },
    /^\$where\[0\]\.operator does not fit its type, SearchOperator!?\./,
  ],
  [
    'a misspelt member of a variable',
    BY_STATUS,
    { where: [{ feild: 'status', value: 'approved' }] },
    /^\$where\[0\] does not fit its type/,
  ],
  [
    'a variable that is missing',
    'query ($id: ID!) { form(formId: $id) { name } }',
    {},
    /^\$id does not fit its type, ID!\./,
  ],
  ['a misspelt field', '{ form(formId: "supplier") { nam } }', {}, /Did you mean "name"/],
  ['a document that ends early', '{ form(', {}, /^Syntax Error: Expected Name, found <EOF>\.$/],
  ['a text that does not end', '{ form(formId: "supplier) }', {}, /^Syntax Error: Unterminated string\.$/],
];

describe('GraphQL’s own error messages', () => {
  let open: TestGateway;
  let closed: TestGateway;
  beforeAll(async () => {
    [open, closed] = await Promise.all([startGateway(), startGateway({ NODE_ENV: 'production' })]);
  });
  afterAll(() => Promise.all([open.close(), closed.close()]));

  it.each(MISTAKES)(
    'are passed through where clients may see the schema: %s',
    async (_what, query, variables, says) => {
      const { errors = [] } = await open.execute(query, variables);

      expect(errors[0]?.message).toMatch(says);
      expect(errors[0]?.extensions['code']).toBe('BAD_USER_INPUT');
    },
  );

  it.each(MISTAKES)('contain no suggestions where they may not: %s', async (_what, query, variables) => {
    const { errors = [] } = await closed.execute(query, variables);

    expect(errors[0]?.extensions['code']).toBe('BAD_USER_INPUT');
    expect(JSON.stringify(errors)).not.toMatch(/did you mean|got invalid value|"(eq|desc|approved)"/i);
  });

  it('are cut where they quote a long value', async () => {
    const { errors = [] } = await open.execute(`{ forms(first: "${'x'.repeat(50_000)}") { totalCount } }`);

    expect(errors[0]?.message).toMatch(/^Int cannot represent non-integer value: "x+…$/);
    expect(JSON.stringify(errors).length).toBeLessThan(3_000);
  });
});

describe('an unauthenticated request', () => {
  const MODES: readonly [what: string, env: Readonly<Record<string, string>>, says: RegExp][] = [
    [
      'an API key',
      { CALLER_AUTH: 'key', CALLER_KEYS: `web:${hash('sha256', 'key')}` },
      /^Authentication required: .*"x-api-key: /,
    ],
    [
      'a token of the identity provider',
      { CALLER_AUTH: 'jwt', CALLER_JWKS_URL: 'http://127.0.0.1:9/keys' },
      /^Authentication required: .*"Authorization: Bearer /,
    ],
    ['a session', { IDENTITY: 'user' }, /^Sign in first.* in the header Authorization, or in the cookie/],
    ['the platform’s token', { IDENTITY: 'forward' }, / in the header Authorization/],
  ];

  it.each(MODES)('is told which header to send: %s', async (_what, env, says) => {
    const gateway = await startGateway(env);

    const { errors } = await gateway.execute('{ form(formId: "supplier") { name } }');

    expect(errors).toMatchObject([
      { message: expect.stringMatching(says), extensions: { code: 'UNAUTHENTICATED', retryable: false } },
    ]);
  });
});
