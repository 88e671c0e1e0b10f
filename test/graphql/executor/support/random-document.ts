import { type Arbitrary, array, boolean, constantFrom, letrec, oneof, record, tuple } from 'fast-check';

import { HOWS } from './schema.ts';

/** An operation with its variables. */
export interface RandomOperation {
  readonly text: string;
  readonly operationName?: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const how = oneof(
  { weight: 3, arbitrary: constantFrom('NOW', 'SOON', 'SHARED') },
  { weight: 2, arbitrary: constantFrom(...HOWS) },
);
const items = array(how, { maxLength: 3 });
const howArg = oneof(how, constantFrom('$how'));
/** A field's alias says all that it is asked with, so that the same alias is always the same question. */
const nameOf = (field: string, ...args: readonly string[]) => [field, ...args].join('__').replaceAll(/\W/g, '');

const directive = constantFrom(
  ...[
    ...['', '', '', '', ''],
    ...['@skip(if: $yes)', '@include(if: $yes)', '@include(if: $no)', '@skip(if: false)'],
    '@include(if: true) @skip(if: $no)',
  ],
);

const leaf: Arbitrary<string> = oneof(
  constantFrom('__typename', '__typename', 'ratio'),
  tuple(constantFrom('text', 'mustText', 'number'), howArg).map(
    ([field, arg]) => `${nameOf(field, arg)}: ${field}(how: ${field === 'mustText' && arg === '$how' ? '$must' : arg})`,
  ),
  items.map((list) => `${nameOf('grid', ...list)}: grid(items: [${list}])`),
  constantFrom('any1: any(value: {a: [1, "x", $any], b: null})', 'any2: any(value: $any)', 'any3: any'),
);

const selections = letrec<Record<string, string>>((tie) => ({
  set: array(tie('selection'), { minLength: 1, maxLength: 4 }).map((all) => `{ ${all.join(' ')} }`),
  selection: oneof(
    { maxDepth: 4, withCrossShrink: true },
    tuple(leaf, directive).map(([field, when]) => `${field} ${when}`),
    tuple(constantFrom('thing', 'mustThing'), howArg, constantFrom('A', 'B'), tie('set'), directive).map(
      ([field, arg, as, set, when]) => `${nameOf(field, arg, as)}: ${field}(how: ${arg}, as: "${as}") ${when} ${set}`,
    ),
    tuple(constantFrom('things', 'mustThings'), howArg, items, tie('set')).map(
      ([field, arg, list, set]) => `${nameOf(field, arg, ...list)}: ${field}(how: ${arg}, items: [${list}]) ${set}`,
    ),
    tuple(howArg, constantFrom('A', 'B'), tie('set')).map(
      ([arg, as, set]) =>
        `${nameOf('either', arg, as)}: either(how: ${arg}, as: "${as}") { ... on Thing ${set} ... on B { b } }`,
    ),
    tuple(constantFrom('... on Thing', '...'), directive, tie('set')).map((parts) => parts.join(' ')),
    tuple(constantFrom('...F', '...G'), directive).map((parts) => parts.join(' ')),
    constantFrom('... on Thing { ... on A { a } }'),
  ),
}))['set'] as Arbitrary<string>;

/** What a query may ask of the schema itself, between fields of its own. */
const introspection = array(
  constantFrom(
    '__schema { queryType { name ...T } directives { name @skip(if: $no) } }',
    'known: __type(name: "A") { ...T fields(includeDeprecated: $no) { name @include(if: $yes) type { ofType { name } } } }',
    'unknown: __type(name: "Nothing") { name }',
    'named: __type(name: $name) @include(if: $yes) { kind }',
    '... on Query { again: __type(name: "How") { enumValues { name } } text }',
  ),
  { maxLength: 3 },
);

/** Random valid documents on the schema beside this file, with all that may become of a field. */
export const randomOperation: Arbitrary<RandomOperation> = record({
  kind: constantFrom('query', 'query', 'mutation'),
  set: selections,
  introspection,
  variables: record(
    {
      how: oneof(how, constantFrom(null)),
      yes: oneof({ weight: 9, arbitrary: boolean() }, constantFrom(null)),
      no: boolean(),
      any: constantFrom(null, 1.5, { deep: ['x'] }),
      name: constantFrom('Thing', 'Query', 'Nothing'),
    },
    { requiredKeys: ['no'] },
  ),
}).map(({ kind, set, introspection: asked, variables }) => ({
  text: `
    query Other($yes: Boolean!) { text @skip(if: $yes) other: __type(name: "A") { name } }
    ${kind} Asked($how: How, $must: How! = SOON, $yes: Boolean = true, $no: Boolean!, $any: Any, $name: String! = "B")
      ${kind === 'query' ? set.replace('{', `{ ${asked.join(' ')} `) : set}
    fragment F on Thing { text mustText number @include(if: $yes) ...G }
    fragment G on Thing { __typename ... on A { aHow: a(how: $how) sure: mustText(how: $must) @skip(if: $no) } any_: any(value: $any) }
    fragment T on __Type { kind interfaces { name } possibleTypes { name } }`,
  operationName: 'Asked',
  variables,
}));
