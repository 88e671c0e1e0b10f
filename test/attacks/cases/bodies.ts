import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

import { type Attack, inTurn, operation, post } from '../request.ts';

const REFUSED = [400];
/** A client that keeps sending after the refusal may see only a closed connection (0). */
const TOO_LARGE = [413, 0];
const times = (count: number, text: string) => text.repeat(count);
const WHERE = 'query ($v: [CriterionInput!]) { forms(where: $v) { totalCount } }';
const FORM = 'query ($v: ID!) { form(formId: $v) { name } }';
const CREATE =
  'mutation ($v: JSONObject!) { createInstance(input: { formId: "supplier", values: $v }) { instance { id } } }';

const LONG_CRITERION = () => `{"field":"name","value":"${times(99_000, 'x')}"}`;
const IN_EACH_FORM = (type: string, argument: string) =>
  `query ($v: [${type}!]) { forms(first: 100) { nodes { instances(${argument}: $v) { totalCount } } } }`;

const body = (
  name: string,
  write: () => string | Buffer,
  status: readonly number[] = REFUSED,
): Attack => ({
  name,
  status,
  prepare: inTurn(() => [post(write())]),
});
const withVariables = (
  name: string,
  query: string,
  variables: () => string,
  status: readonly number[] = REFUSED,
) => body(name, () => `{"query":${JSON.stringify(query)},"variables":${variables()}}`, status);
const members = (count: number) => Array.from({ length: count }, (_, n) => `"k${n}":1`).join();
const distinct = (n: number) =>
  `{ __typename ${times(34, 'form(formId: "a") { id name formId } ')} } # ${n} ${times(80_000, 'x')}`;
const many = (count: number, write: (n: number) => Buffer) =>
  Array.from({ length: count }, (_, n) => write(n));
const byHash = (sha256Hash: unknown) => ({ persistedQuery: { version: 1, sha256Hash } });
const hashed = (n: number) => {
  const query = `{ __typename } # ${n}${times(90_000, 'x')}`;
  return post(
    JSON.stringify({ query, extensions: byHash(createHash('sha256').update(query).digest('hex')) }),
  );
};

/** Attacks by members of the body other than the document. */
export const BODY_ATTACKS: readonly Attack[] = [
  body('a batch of 1,000', () => `[${times(1_000, '{"query":"{__typename}"},').slice(0, -1)}]`),
  withVariables('a string of 10 MB', FORM, () => `{"v":"${times(10_000_000, 'x')}"}`, TOO_LARGE),
  withVariables(
    'a string of 49 MB, not used',
    '{ __typename }',
    () => `{"v":"${times(49_000_000, 'x')}"}`,
    TOO_LARGE,
  ),
  withVariables('a string of 250 KB', FORM, () => `{"v":"${times(250_000, 'x')}"}`),
  body('60 MB', () => Buffer.alloc(60_000_000, 32), TOO_LARGE),
  {
    name: 'a gzip bomb',
    status: [415],
    prepare: inTurn(() => [
      post(gzipSync(Buffer.alloc(49_000_000, 32)), { headers: { 'content-encoding': 'gzip' } }),
    ]),
  },
  withVariables(
    'a list of 1,000,000',
    WHERE,
    () => `{"v":[${times(1_000_000, '1,')}1]}`,
    TOO_LARGE,
  ),
  withVariables('a list of 100,000', WHERE, () => `{"v":[${times(100_000, '1,')}1]}`),
  withVariables('a list of 100,000 wrong items', WHERE, () => `{"v":[${times(60_000, '"",')}""]}`),
  withVariables(
    'objects 5,000 deep',
    CREATE,
    () => `{"v":${times(5_000, '{"a":')}1${times(5_000, '}')}}`,
  ),
  withVariables(
    'arrays 120,000 deep',
    CREATE,
    () => `{"v":${times(120_000, '[')}${times(120_000, ']')}}`,
  ),
  withVariables('arrays 1,000,000 deep', CREATE, () => `{"v":${times(1_000_000, '[')}`, TOO_LARGE),
  withVariables('200,000 members', CREATE, () => `{"v":{${members(200_000)}}}`, TOO_LARGE),
  withVariables('20,000 members', CREATE, () => `{"v":{${members(20_000)}}}`),
  withVariables('125,000 escapes', FORM, () => `{"v":"${times(120_000, '\\n')}"}`),
  withVariables(
    'a variable of 99 KB, named 900 times in a list',
    `query ($v: CriterionInput!) { instances(formId: "supplier", where: [${times(900, '$v ')}]) { totalCount } }`,
    () => `{"v":${LONG_CRITERION()}}`,
  ),
  body('a default of 90 KB, named 900 times in a list', () => {
    const value = `{ field: "name", value: "${times(90_000, 'x')}" }`;
    const where = times(900, '$v ');
    const query = `query ($v: CriterionInput! = ${value}) { instances(formId: "supplier", where: [${where}]) { totalCount } }`;
    return JSON.stringify({ query });
  }),
  withVariables(
    'where of 99 KB in each of 100 forms',
    IN_EACH_FORM('CriterionInput', 'where'),
    () => `{"v":[${LONG_CRITERION()}]}`,
    [200],
  ),
  withVariables(
    'orderBy of 1,000 in each of 100 forms',
    IN_EACH_FORM('OrderInput', 'orderBy'),
    () => `{"v":[${times(1_000, '{"field":"name"},').slice(0, -1)}]}`,
    [200],
  ),
  withVariables(
    'a fraction of 240,000 digits',
    CREATE,
    () => `{"v":{"n":1.${times(240_000, '0')}1}}`,
  ),
  {
    name: 'APQ flood: 300 of 90 KB',
    status: [200],
    prepare: inTurn(() => many(300, hashed)),
  },
  {
    name: 'document flood: 300 of 80 KB',
    status: [200],
    prepare: inTurn(() => many(300, (n) => operation(distinct(n)))),
  },
];
