import { describe, expect, it } from 'vitest';

import { callerKeys } from '../identity/support.ts';
import { type Env, shareGateway, startGateway } from '../support/gateway.ts';

const CREATE =
  'mutation ($v: JSONObject!) { createInstance(input: { formId: "supplier", values: $v }) { instance { id } } }';
const SECRET = 'secret-token-abc';

/** The message where clients may see the schema, and the message where it is hidden. */
const MISTAKES: readonly [
  what: string,
  query: string,
  open: RegExp,
  closed: RegExp,
  variables?: object,
][] = [
  [
    'a choice in another case',
    '{ forms(orderBy: [{ field: "name", direction: desc }]) { totalCount } }',
    /^Value "desc" does not exist in "\w+" enum\. Did you mean the enum value "DESC"/,
    /^EnumValue is not valid here\.$/,
  ],
  [
    'a variable that is missing',
    'query ($id: ID!) { form(formId: $id) { name } }',
    /^\$id does not fit its type, ID!\.$/,
    /^\$id does not fit its type, ID!\.$/,
  ],
  [
    'no object',
    CREATE,
    /^\$v must be a JSON object\.$/,
    /^\$v must be a JSON object\.$/,
    { v: SECRET },
  ],
  [
    'a text for a number',
    `{ forms(first: "${SECRET}") { totalCount } }`,
    /^Int cannot represent non-integer value: "secret/,
    /^StringValue is not valid here\.$/,
  ],
  [
    'an object that lacks a member',
    `{ forms(where: [{ value: "${SECRET}" }]) { totalCount } }`,
    /^Field "CriterionInput.field" of required type "String!" was not provided\.$/,
    /^ObjectValue is not valid here\.$/,
  ],
  [
    'a misspelt field',
    '{ form(formId: "supplier") { nam } }',
    /Did you mean "name"/,
    /^Field "nam" is not valid here\.$/,
  ],
  [
    'a misspelt argument',
    '{ form(formIds: "supplier") { name } }',
    /Did you mean "formId"/,
    /^Argument "formIds" is not valid here\.$/,
  ],
  [
    'a misspelt type',
    'query ($where: [CriterionInputs!]) { forms(where: $where) { totalCount } }',
    /Did you mean "CriterionInput"/,
    /^NamedType "CriterionInputs" is not valid here\.$/,
  ],
  [
    'a text where none can be',
    `{ forms "${SECRET}" }`,
    /^Syntax Error: Expected Name, found String/,
    /^The document is not valid GraphQL\.$/,
  ],
];

describe('GraphQL’s own error messages', () => {
  const open = shareGateway();
  const closed = shareGateway({ NODE_ENV: 'production', CALLER_AUTH: 'none' });

  it.each(MISTAKES)(
    'are given for %s, and elsewhere without suggestions and values',
    async (_what, query, openMessage, closedMessage, variables) => {
      const seen = await open.execute(query, variables);
      const hidden = await closed.execute(query, variables);

      expect(seen.errors?.[0]?.message).toMatch(openMessage);
      expect(hidden.errors?.[0]?.message).toMatch(closedMessage);
      for (const { status, errors } of [seen, hidden])
        expect([status, errors?.[0]?.extensions['code']]).toEqual([400, 'BAD_USER_INPUT']);
      expect(JSON.stringify(hidden.errors)).not.toMatch(/did you mean|apollo|secret|"desc"/i);
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
    const names = Array.from({ length: 50 }, (_, index) => `a${index}: formm { name }`);

    const { status, errors = [] } = await open.execute(`{ ${names.join(' ')} }`);

    expect(status).toBe(400);
    expect(errors[0]?.message).toContain('Did you mean "form"');
    expect(errors).toHaveLength(11);
    expect(errors.at(-1)?.message).toContain('Too many validation errors');
  });
});

it.each<[what: string, env: Env, says: RegExp]>([
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
])(
  'an unauthenticated request gets an error with the header to send: %s',
  async (_what, env, says) => {
    const { execute } = await startGateway(env);

    const { errors } = await execute('{ form(formId: "supplier") { name } }');

    const extensions = { code: 'UNAUTHENTICATED', retryable: false };
    expect(errors).toMatchObject([{ message: expect.stringMatching(says), extensions }]);
  },
);
