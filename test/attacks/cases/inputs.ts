import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Attack, inTurn, operation } from '../request.ts';

const REFUSED = [400];
const times = (count: number, text: string) => text.repeat(count);
const many = (count: number, write: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => write(n)).join(' ');

/** A text just below the limit of a request. */
const LONG = times(99_000, 'x');
const CRITERION = { field: 'name', value: LONG };
const REPRESENTATION = { __typename: 'Form', id: 'WyJGb3JtIiwic3VwcGxpZXIiXQ' };

const MODULE = `export default {
  typeDefs: 'extend type Query { own(list: [JSON]): Int } extend type Mutation { change(list: [JSON]): Int }',
  resolvers: { Query: { own: () => 1 }, Mutation: { change: () => 1 } },
};`;

/** Settings that enable everything with arguments: types of forms, a subgraph and an extension. */
const env = () => {
  const folder = mkdtempSync(join(tmpdir(), 'attacks-'));
  writeFileSync(join(folder, 'own.js'), MODULE);
  return { TYPED_FORMS: '*', FEDERATION: 'on', EXTENSIONS: folder };
};

const input = (
  name: string,
  write: () => readonly [query: string, variables?: Readonly<Record<string, unknown>>],
  status: readonly number[] = REFUSED,
): Attack => ({ name, status, env, prepare: inTurn(() => [operation(...write())]) });

/** Attacks by one value that the document uses at many places. */
export const INPUT_ATTACKS: readonly Attack[] = [
  input('a variable of 99,000 characters in a fragment that is spread 100 times', () => [
    `query ($w: [CriterionInput!]) { ${many(100, (n) => `f${n}: form(formId: "supplier") { ...F }`)} } fragment F on Form { instances(where: $w) { totalCount } }`,
    { w: [CRITERION] },
  ]),
  input('60 lists of 1,000 wrong items', () => [
    `query (${many(60, (n) => `$v${n}: [Long!]`)}) { ${many(60, (n) => `p${n}: purchaseRequests(where: { quantity: { in: $v${n} } }) { totalCount }`)} }`,
    Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`v${n}`, Array(1_000).fill('')])),
  ]),
  input('a variable of 99,000 characters in 100 items of a form with a type', () => [
    `mutation ($v: UpdateSupplierValues!) { updateSuppliers(input: { items: [${times(100, '{ instanceId: 1, values: $v } ')}] }) { done } }`,
    { v: { name: LONG } },
  ]),
  input('a variable of 99,000 characters at 900 places of an own field', () => [
    `query ($v: JSON) { own(list: [${times(900, '$v ')}]) }`,
    { v: LONG },
  ]),
  input('1,000 representations at 50 aliases', () => [
    `query ($r: [_Any!]!) { ${many(50, (n) => `a${n}: _entities(representations: $r) { __typename }`)} }`,
    { r: Array.from({ length: 1_000 }, () => REPRESENTATION) },
  ]),
  // A name that is sent once and repeated in each row of the response.
  input(
    'an alias of 90,000 characters on each of 100 rows',
    () => [
      `{ instances(formId: "purchase-request", first: 100) { nodes { ${times(90_000, 'x')}: formId } } }`,
    ],
    [400],
  ),
  input(
    'an alias of 90,000 characters on each of 100 rows that fail',
    () => [
      `{ instances(formId: "purchase-request", first: 100) { nodes { ${times(90_000, 'x')}: reference(field: "no") { id } } } }`,
    ],
    [400],
  ),
  input(
    'a field name of 99,000 characters that each of 100 rows is asked for',
    () => [
      'query ($f: String!) { instances(formId: "purchase-request", first: 100) { nodes { value(field: $f) reference(field: $f) { id } } } }',
      { f: LONG },
    ],
    [200],
  ),
];
