import { describe, expect, it } from 'vitest';

import { callerKeys } from '../identity/support.ts';
import { type Env, shareGateway, startGateway } from '../support/gateway.ts';

const WHERE =
  'query ($where: [CriterionInput!]) { instances(formId: "supplier", where: $where) { totalCount } }';
const CREATE =
  'mutation ($v: JSONObject!) { createInstance(input: { formId: "supplier", values: $v }) { instance { id } } }';
const ORDERED = (direction: string) =>
  `{ forms(orderBy: [{ field: "name", direction: ${direction} }]) { totalCount } }`;
const SECRET = 'secret-token-abc';

interface Mistake {
  readonly what: string;
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /** The message where clients may see the schema, if it differs from the other one. */
  readonly open?: RegExp;
  /** The message where the schema is hidden. */
  readonly closed: RegExp;
}

const MISTAKES: readonly Mistake[] = [
  {
    what: 'a choice in another case',
    query: ORDERED('desc'),
    open: /^Value "desc" does not exist in "\w+" enum\. Did you mean the enum value "DESC"/,
    closed: /^EnumValue is not valid here\.$/,
  },
  {
    what: 'a choice in quotes',
    query: ORDERED('"DESC"'),
    open: /^Enum "\w+" cannot represent non-enum value: "DESC"\. Did you mean the enum value "DESC"/,
    closed: /^StringValue is not valid here\.$/,
  },
  {
    what: 'an unknown choice',
    query: ORDERED('secret_token'),
    open: /^Value "secret_token" does not exist/,
    closed: /^EnumValue is not valid here\.$/,
  },
  {
    what: 'a choice in another case, in a variable',
    query: WHERE,
    variables: { where: [{ field: 'status', operator: 'eq', value: SECRET }] },
    open: /^\$where\[0\]\.operator does not fit its type, SearchOperator\. It must be one of EQ, NE, /,
    closed: /^\$where\[0\]\.operator does not fit its type, SearchOperator\.$/,
  },
  {
    what: 'a misspelt member of a variable',
    query: WHERE,
    variables: { where: [{ field: 'a', value: 1, [SECRET]: 1 }] },
    open: /^\$where\[0\] does not fit its type, CriterionInput\./,
    closed: /^\$where\[0\] does not fit its type, CriterionInput\.$/,
  },
  {
    what: 'a variable that is missing',
    query: 'query ($id: ID!) { form(formId: $id) { name } }',
    closed: /^\$id does not fit its type, ID!\.$/,
  },
  {
    what: 'a variable of a wrong type',
    query: 'query ($n: Int) { forms(first: $n) { totalCount } }',
    variables: { n: SECRET },
    open: /^\$n does not fit its type, Int\./,
    closed: /^\$n does not fit its type, Int\.$/,
  },
  {
    what: 'no object',
    query: CREATE,
    variables: { v: SECRET },
    closed: /^\$v must be a JSON object\.$/,
  },
  {
    what: 'a text for a number',
    query: `{ forms(first: "${SECRET}") { totalCount } }`,
    open: /^Int cannot represent non-integer value: "secret/,
    closed: /^StringValue is not valid here\.$/,
  },
  {
    what: 'a text for an object',
    query: `{ forms(where: "${SECRET}") { totalCount } }`,
    open: /^Expected value of type/,
    closed: /^StringValue is not valid here\.$/,
  },
  {
    what: 'an object that lacks a member',
    query: `{ forms(where: [{ value: "${SECRET}" }]) { totalCount } }`,
    open: /^Field "CriterionInput.field" of required type "String!" was not provided\.$/,
    closed: /^ObjectValue is not valid here\.$/,
  },
  {
    what: 'a misspelt field',
    query: '{ form(formId: "supplier") { nam } }',
    open: /Did you mean "name"/,
    closed: /^Field "nam" is not valid here\.$/,
  },
  {
    what: 'a misspelt argument',
    query: '{ form(formIds: "supplier") { name } }',
    open: /Did you mean "formId"/,
    closed: /^Argument "formIds" is not valid here\.$/,
  },
  {
    what: 'a misspelt type',
    query: 'query ($where: [CriterionInputs!]) { forms(where: $where) { totalCount } }',
    open: /Did you mean "CriterionInput"/,
    closed: /^NamedType "CriterionInputs" is not valid here\.$/,
  },
  {
    what: 'a text where none can be',
    query: `{ forms "${SECRET}" }`,
    open: /^Syntax Error: Expected Name, found String/,
    closed: /^The document is not valid GraphQL\.$/,
  },
  {
    what: 'a document that ends early',
    query: '{ form(',
    open: /^Syntax Error: Expected Name, found <EOF>\.$/,
    closed: /^The document is not valid GraphQL\.$/,
  },
  {
    what: 'a text that does not end',
    query: `{ form(formId: "${SECRET}) }`,
    open: /^Syntax Error: Unterminated string\.$/,
    closed: /^The document is not valid GraphQL\.$/,
  },
];

describe('GraphQL’s own error messages', () => {
  const open = shareGateway();
  const closed = shareGateway({ NODE_ENV: 'production', CALLER_AUTH: 'none' });

  it.each(MISTAKES)(
    'are given for $what, and elsewhere without suggestions and values',
    async (mistake) => {
      const { query, variables, closed: bare } = mistake;

      const [seen, hidden] = [
        await open.execute(query, variables),
        await closed.execute(query, variables),
      ];

      expect(seen.errors?.[0]?.message).toMatch(mistake.open ?? bare);
      expect(hidden.errors?.[0]?.message).toMatch(bare);
      for (const { status, errors } of [seen, hidden]) {
        expect([status, errors?.[0]?.extensions['code']]).toEqual([400, 'BAD_USER_INPUT']);
      }
      expect(JSON.stringify(hidden.errors)).not.toMatch(/did you mean|apollo|secret|"(eq|desc)"/i);
    },
  );

  it('are cut where they quote a long value', async () => {
    const { errors = [] } = await open.execute(
      `{ forms(first: "${'x'.repeat(50_000)}") { totalCount } }`,
    );

    expect(errors[0]?.message).toMatch(/^Int cannot represent non-integer value: "x+…$/);
    expect(JSON.stringify(errors).length).toBeLessThan(3_000);
  });

  it('suggest names for the first ten unknown ones', async () => {
    const query = `{ ${Array.from({ length: 50 }, (_, index) => `a${index}: formm { name }`).join(' ')} }`;

    const { status, errors = [] } = await open.execute(query);

    expect(status).toBe(400);
    expect(errors[0]?.message).toContain('Did you mean "form"');
    expect(errors).toHaveLength(11);
    expect(errors.at(-1)?.message).toContain('Too many validation errors');
  });
});

const MODES: readonly [what: string, env: Env, says: RegExp][] = [
  ['an API key', callerKeys('key'), /^Authentication required: .*"x-api-key: /],
  [
    'a token of the identity provider',
    { CALLER_AUTH: 'jwt', CALLER_JWKS_URL: 'http://127.0.0.1:9/keys' },
    /^Authentication required: .*"Authorization: Bearer /,
  ],
  [
    'a session',
    { IDENTITY: 'user' },
    /^Sign in first.* in the header Authorization, or in the cookie/,
  ],
  ['the platform’s token', { IDENTITY: 'forward' }, / in the header Authorization/],
];

it.each(MODES)(
  'an unauthenticated request gets an error with the header to send: %s',
  async (_what, env, says) => {
    const gateway = await startGateway(env);

    const { errors } = await gateway.execute('{ form(formId: "supplier") { name } }');

    expect(errors).toMatchObject([
      {
        message: expect.stringMatching(says),
        extensions: { code: 'UNAUTHENTICATED', retryable: false },
      },
    ]);
  },
);
