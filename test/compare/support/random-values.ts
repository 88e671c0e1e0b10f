import { type GeneratorValue, integer, nat } from 'fast-check';
import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isNonNullType,
} from 'graphql';
import { toLiteral } from './random-document.ts';
import { oneOf, toValue } from './random-json.ts';
import { type Asked, ECHO } from './reference.ts';

/** A text that no message may repeat where the schema is hidden. */
export const SECRET = 'a value of mine';

/** Mistakes that clients make in values. */
const MISTAKES: readonly unknown[] = [
  ...[null, true, 0, -1.5, 2_147_483_648, 1e15, 1e21, 5e-324, 2 ** 53],
  ...['', SECRET, '1E+3', '007', '2026-02-30', '2026-01-31T12:00:00', '9223372036854775808'],
  ...[[], {}, [[]], [null], { constructor: 1 }, { [SECRET]: SECRET }, [1, SECRET]],
];
/** Names that some input may have, and that all objects of JavaScript have. */
const NAMES = ['constructor', 'toString', 'valueOf', 'eq', 'formId', SECRET];

/**
 * Creates a request with variables of any argument type, valid or not, whose fields return the
 * variables.
 */
export function makeValues(schema: GraphQLSchema, gen: GeneratorValue): Asked {
  const echoes = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(({ name }) =>
    name.startsWith(ECHO),
  );
  const variables: Record<string, unknown> = {};
  // They are few among all types.
  const oneOfs = echoes.filter(({ args }) => args.some(({ type }) => isOneOfType(type)));
  const choose = () => oneOf(gen, ...(oneOfs.length > 0 && gen(nat, 3) === 0 ? oneOfs : echoes));
  const chosen = Array.from({ length: gen(integer, { min: 1, max: 3 }) }, choose);
  const parts = chosen.flatMap(({ name, args: [arg] }, index) => {
    if (arg === undefined) return [];
    const valid = toValue(arg.type, gen);
    const isSpoiled = gen(nat, 2) === 0;
    if (gen(nat, 7) > 0) variables[`v${index}`] = isSpoiled ? spoil(valid, gen) : valid;
    const type = isNonNullType(arg.type) || gen(nat, 1) === 0 ? String(arg.type) : `${arg.type}!`;
    const fallback = gen(nat, 4) === 0 ? ` = ${toLiteral(arg.type, toValue(arg.type, gen))}` : '';
    return [
      {
        definition: `$v${index}: ${type}${fallback}`,
        field: `f${index}: ${name}(value: $v${index})`,
      },
    ];
  });
  const definitions = parts.map(({ definition }) => definition).join(', ');
  return {
    query: `query (${definitions}) { ${parts.map(({ field }) => field).join(' ')} }`,
    variables,
  };
}

function isOneOfType(type: GraphQLInputType): boolean {
  const inner = getNamedType(type);
  return isInputObjectType(inner) && inner.isOneOf;
}

/** Puts a mistake into a value, at any depth. */
function spoil(value: unknown, gen: GeneratorValue): unknown {
  const isNested = typeof value === 'object' && value !== null;
  if (!isNested || gen(nat, 4) === 0)
    return oneOf(gen, ...MISTAKES, [value], { ...(isNested && value) });
  if (Array.isArray(value)) {
    const at = gen(nat, value.length);
    return value.toSpliced(at, 1, spoil(value[at], gen));
  }
  const entries = Object.entries(value);
  const [name] = entries[gen(nat, Math.max(entries.length - 1, 0))] ?? [oneOf(gen, ...NAMES)];
  switch (gen(nat, 3)) {
    case 0:
      return { ...value, [oneOf(gen, ...NAMES)]: oneOf(gen, ...MISTAKES) };
    case 1:
      return Object.fromEntries(entries.filter(([other]) => other !== name));
    default:
      return { ...value, [name]: spoil((value as Record<string, unknown>)[name], gen) };
  }
}
