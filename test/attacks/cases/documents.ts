import { type Attack, inTurn, operation } from '../request.ts';

const REFUSED = [400];
/** A client that keeps sending after the refusal may see only a closed connection (0). */
const TOO_LARGE = [413, 0];
const times = (count: number, text: string) => text.repeat(count);
const many = (count: number, write: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => write(n)).join(' ');
const doubling = (count: number) =>
  `{ ...F0 } ${many(count, (n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`)} fragment F${count} on Query { __typename }`;
const breadth = (size: number) => {
  const page = `instances(first: ${size}) { nodes { values form {`;
  return `{ forms(first: ${size}) { nodes { ${times(3, page)} name ${times(3, '} } }')} } } }`;
};

const document = (
  name: string,
  write: () => string,
  status: readonly number[] = REFUSED,
): Attack => ({
  name,
  status,
  prepare: inTurn(() => [operation(write())]),
});

/** Attacks by the text of the document. */
export const DOCUMENT_ATTACKS: readonly Attack[] = [
  document('1,000 aliases', () => `{ ${many(1_000, (n) => `a${n}: __typename`)} }`),
  document('10,000 aliases', () => `{ ${many(10_000, (n) => `a${n}: __typename`)} }`),
  document('100,000 aliases', () => `{ ${many(100_000, (n) => `a${n}: __typename`)} }`, TOO_LARGE),
  document(
    'depth 100',
    () =>
      `{ form(formId: "supplier") ${times(100, '{ instances { nodes { form ')} { name }${times(300, '}')} }`,
  ),
  document(
    'depth 1,000',
    () =>
      `{ form(formId: "supplier") ${times(300, '{ instances { nodes { form ')} { name }${times(900, '}')} }`,
  ),
  document('depth 5,000', () => `${times(5_000, '{a')}${times(5_000, '}')}`),
  document('depth 100,000, never closed', () => times(100_000, '{a')),
  document('lists in an argument, 50,000 deep', () => `{ form(formId: ${times(50_000, '[')}`),
  document(
    'lists in a type, 50,000 deep',
    () => `query ($a: ${times(50_000, '[')}Int${times(50_000, ']')}) { a }`,
  ),
  document('breadth 20', () => breadth(20)),
  document('breadth 10', () => breadth(10)),
  document(
    'breadth 100 at one level',
    () =>
      '{ forms(first: 100) { nodes { a: instances(first: 100) { nodes { values } } b: instances(first: 100, page: 2) { nodes { values } } } } }',
  ),
  document(
    'circular fragments',
    () => '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
  ),
  document('fragment bomb 2^25', () => doubling(25)),
  document('fragment bomb 2^17', () => doubling(17)),
  document('fragment bomb 2^90', () => doubling(90)),
  document(
    '1,000 fragments, spread pairwise',
    () =>
      `{ ${many(1_000, (n) => `...F${n}`)} } ${many(1_000, (n) => `fragment F${n} on Query { a }`)}`,
  ),
  document(
    'overlap: 3,000 fields of one key',
    () => `{ ${times(3_000, 'form(formId: "a") { id } ')} }`,
  ),
  document(
    'overlap: 1,000 nested',
    () => `{ ${times(1_000, 'form(formId: "a") { instances { nodes { form { id } } } } ')} }`,
  ),
  document(
    'overlap within the tokens: 110 nested',
    () => `{ ${times(110, 'form(formId: "a") { instances { nodes { form { id } } } } ')} }`,
  ),
  document(
    'overlap within the pairs: 58 nested',
    () => `{ ${times(58, 'form(formId: "a") { instances { nodes { form { id } } } } ')} }`,
    [200, 400],
  ),
  document('10,000 times a field', () => `{ ${times(10_000, '__typename ')} }`),
  document('100,000 times a field', () => `{ ${times(100_000, '__typename ')} }`, TOO_LARGE),
  document('10,000 unknown directives', () => `{ __typename ${times(10_000, '@aa ')} }`),
  document('10,000 times @skip', () => `{ __typename ${times(10_000, '@skip(if: false) ')} }`),
  document('10,000 unknown fields', () => `{ ${many(10_000, (n) => `f${n}`)} }`),
  document('1,900 unknown fields', () => `{ ${many(1_900, (n) => `f${n}`)} }`),
  document(
    '20,000 variables',
    () => `query (${many(20_000, (n) => `$v${n}: Int`)}) { __typename }`,
    [...REFUSED, ...TOO_LARGE],
  ),
  document('20,000 operations', () => many(20_000, (n) => `query Q${n} { a }`), [
    ...REFUSED,
    ...TOO_LARGE,
  ]),
  document('10 MB of comment', () => `{ a } #${times(10_000_000, 'x')}`, TOO_LARGE),
  document('10 MB of commas', () => `{ a ${times(10_000_000, ',')} }`, TOO_LARGE),
  document('10 MB of tokens', () => `{ ${times(5_000_000, 'a ')} }`, TOO_LARGE),
  document('90 KB of commas', () => `{ __typename ${times(90_000, ',')} }`, [200]),
  document('80 KB of comments', () => `{ __typename ${times(40_000, '#\n')} }`, [200]),
  document('90 KB of tokens', () => `{ ${times(45_000, 'a ')} }`),
  document('250 KB of tokens', () => `{ ${times(120_000, 'a ')} }`),
  document(
    'introspection',
    () => '{ __schema { types { name fields { name type { name } } } } }',
    [200],
  ),
  document('__type', () => '{ __type(name: "Query") { fields { name } } }', [200]),
  document('a field misspelled', () => '{ formz { totalCount } }'),
  document('an argument misspelled', () => '{ form(formid: "a") { name } }'),
  document(
    'an enum misspelled',
    () => '{ forms(orderBy: [{ field: "a", direction: ASK }]) { totalCount } }',
  ),
  document(
    'a type misspelled',
    () => 'query ($v: [CriterionInputs]) { forms(where: $v) { totalCount } }',
  ),
  document('@defer', () => '{ ... @defer { __typename } }'),
  document('a subscription where there is none', () => 'subscription { forms { totalCount } }'),
  document('NUL in the document', () => '{ __typename \u0000 }'),
  document(
    'an id beyond 2^53 as a literal',
    () => '{ instance(formId: "supplier", instanceId: 9007199254740993) { values } }',
    [200],
  ),
  document('__proto__ as an alias', () => '{ __proto__: __typename }', [200]),
  document(
    '__proto__ in a literal',
    () =>
      'mutation { createInstance(input: { formId: "supplier", values: { __proto__: { a: 1 } } }) { instance { id } } }',
    [200],
  ),
];
