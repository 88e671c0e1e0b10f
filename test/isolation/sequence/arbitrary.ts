import fc from 'fast-check';

import type { Action, Command, ResourceKey, Round, Sequence } from './sequence.ts';

/** Names with a common start, names that are equal when joined, and names with separators. */
const NAMES = ['a', 'a/f', 'a/f/1', 'a1', 'b', 'a b', 'a%2Ff', 'a|b', 'a-b'];

/** Ids that are equal when joined, cut, decoded twice or sorted. */
const KEYS: readonly ResourceKey[] = [
  { form: 'a', instance: '11' },
  { form: 'a1', instance: '1' },
  { form: 'a', instance: '1' },
  { form: 'a/f', instance: '1' },
  { form: 'a%2Ff', instance: '1' },
  { form: 'a|b:%', instance: '1' },
  { form: 'a b', instance: '-1' },
  { form: 'a-b', instance: '9223372036854775807' },
];
const RULES = [
  { component: 'a', version: '11' },
  { component: 'a1', version: '1' },
  { component: 'a-b', version: '1' },
  { component: 'a/b', version: '%2F' },
];

// The first ones are drawn often, because leaks need equal or similar ids.
const key = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...KEYS.slice(0, 3)) },
  { weight: 2, arbitrary: fc.constantFrom(...KEYS.slice(3)) },
);
const oneOf = <K extends string>(...kinds: readonly K[]) => fc.constantFrom(...kinds);

const read: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(oneOf('form', 'instance', 'node', 'formNode', 'reference', 'list', 'own'), key)
      .map(([kind, of]) => ({ kind, ...of })),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('many'),
      keys: fc.array(key, { minLength: 2, maxLength: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(oneOf('watch', 'watchList'), key).map(([kind, of]) => ({ kind, ...of })),
  },
  { weight: 1, arbitrary: fc.record({ kind: oneOf('forms', 'viewer') }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...RULES).map((of) => ({ kind: 'rule' as const, ...of })),
  },
);
const changeKind = oneOf('create', 'create', 'update', 'replace', 'delete');
const change: fc.Arbitrary<Action> = fc.oneof(
  fc.tuple(changeKind, key).map(([kind, of]) => ({ kind, isKeyed: false, ...of })),
  fc
    .tuple(changeKind, fc.constantFrom(...KEYS.slice(0, 2)))
    .map(([kind, of]) => ({ kind, isKeyed: true, ...of })),
  fc.oneof(
    fc.constantFrom(...RULES).map((of) => ({ kind: 'executeRule' as const, ...of })),
    fc.constant({ kind: 'startCase' as const }),
  ),
);
const sessionAction: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: oneOf('signIn', 'signOut', 'revoke', 'guessPassword') }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'expire' }) },
);

const rarely = fc.oneof(
  { weight: 5, arbitrary: fc.constant(false) },
  { weight: 1, arbitrary: fc.constant(true) },
);

const command: fc.Arbitrary<Command> = fc.record({
  who: fc.nat(3),
  session: fc.nat(1),
  via: oneOf('bearer', 'cookie'),
  isStray: rarely,
  isLeaving: rarely,
  isEchoed: rarely,
  action: fc.oneof(
    { weight: 7, arbitrary: read },
    { weight: 3, arbitrary: change },
    { weight: 2, arbitrary: sessionAction },
  ),
});

const round: fc.Arbitrary<Round> = fc.record({
  held: fc.option(fc.nat(3), { nil: undefined, freq: 2 }),
  commands: fc.array(command, { minLength: 1, maxLength: 7, size: 'max' }),
});

/** Random sequences. */
export const sequences: fc.Arbitrary<Sequence> = fc.record({
  names: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 2, maxLength: 4 }),
  refusals: fc.array(
    fc.record({
      who: fc.nat(3),
      form: key.map(({ form }) => form),
      status: fc.constantFrom(403, 404),
    }),
    { maxLength: 3, size: 'max' },
  ),
  rounds: fc.array(round, { minLength: 1, maxLength: 4, size: 'max' }),
});
