import type { GraphQLSchema } from 'graphql';

import { pick, type Random } from './random.ts';
import { drawTarget, findTarget, slotTypeOf } from './target.ts';
import { FITTING, VALUES } from './values.ts';

/**
 * The dimensions of a payload with their values. The first value is plain: it multiplies nothing.
 */
export const DIMENSIONS = {
  value: ['plain', ...Object.keys(VALUES)],
  /**
   * The length of the value, as a part of the limits of arguments. `over` is as long as the limits
   * of texts accept, since work may come before a limit.
   */
  size: ['over', '1', '0.3', '0.1', '0.03', '0.01', '0.003'],
  /**
   * The value is in the document, in a variable at its place, or in a variable for the whole
   * argument.
   */
  via: ['literal', 'variable', 'variables', 'default', 'whole', 'wholeDefault'],
  /** The items of the list around the value. */
  items: ['1', '30', '100', '1000'],
  /** How the field is repeated. */
  units: ['one', 'aliases', 'longAliases', 'keys', 'inline'],
  spread: ['none', 'wide', 'deep', 'nested'],
  /** The repetitions of the field, as a part of the limit. */
  count: ['1', '0.8', '0.6', '0.4', '0.2', '0.1', '0.03'],
  /** Rows of each list on the way to the field. */
  rows: ['100', '10', '1'],
  selected: ['one', 'all', 'texts'],
  directives: ['none', 'constant', 'variable', 'variables', 'unknown'],
  /** The filler that makes the document as long as the limits accept. */
  text: ['none', 'newlines', 'returns', 'comments', 'comment', 'commas', 'spaces', 'marks'],
  operations: ['1', '50'],
  /** The error in each field. */
  fault: ['none', 'field', 'variable', 'syntax'],
  headers: ['none', 'brotli', 'gzip', 'accept', 'forwarded', 'cookies', 'tags', 'many'],
  /** Whether the document is new, was sent before, or is sent by its hash. */
  way: ['new', 'again', 'hash'],
  caller: ['key', 'stranger', 'reader'],
} as const satisfies Record<string, readonly string[]>;

type Dimension = keyof typeof DIMENSIONS;

/** A payload in words. The same recipe builds the same payload. */
export type Recipe = { readonly [name in Dimension]: string } & { readonly target: string };

const NAMES = Object.keys(DIMENSIONS) as Dimension[];
/** Amounts start at their largest. They are lowered until the limits accept the payload. */
const AMOUNTS: readonly Dimension[] = ['size', 'count', 'rows'];
/** Dimensions that are multiplied together. Those with the most past holes appear more often. */
const MULTIPLIERS: readonly (readonly Dimension[])[] = [
  ['value', 'via', 'items'],
  ['value', 'via'],
  ['value'],
  ['spread'],
  ['units', 'spread'],
  ['units'],
  ['text'],
  ['text'],
  ['directives'],
  ['operations'],
  ['fault'],
  ['headers'],
  ['way'],
];

/** Draws two or three dimensions that are multiplied at a drawn target; all others are plain. */
export function drawRecipe(schema: GraphQLSchema, random: Random): Recipe {
  const target = drawTarget(schema, random);
  const recipe: Record<string, string> = { target };
  for (const name of NAMES) recipe[name] = DIMENSIONS[name][0];
  for (const name of ['caller', 'selected', 'rows'] as const)
    recipe[name] = pick(DIMENSIONS[name], random);
  const count = 2 + Math.round(random());
  for (let n = 0; n < count; n++) {
    for (const name of pick(MULTIPLIERS, random))
      recipe[name] = pick(wordsOf(name, target, schema, random), random);
  }
  return recipe as Recipe;
}

/**
 * Returns the values to draw from for a dimension. Most fit their place, since others are refused.
 */
function wordsOf(
  name: Dimension,
  target: string,
  schema: GraphQLSchema,
  random: Random,
): readonly string[] {
  if (name !== 'value' || random() < 0.25) return DIMENSIONS[name];
  const type = slotTypeOf(findTarget(target, schema));
  return FITTING[String(type)] ?? DIMENSIONS[name];
}

/** Returns a copy of a recipe with one value drawn anew. */
export function varyRecipe(recipe: Recipe, schema: GraphQLSchema, random: Random): Recipe {
  const name = pick([...NAMES, 'target' as const], random);
  if (name === 'target') return { ...recipe, target: drawTarget(schema, random) };
  return { ...recipe, [name]: pick(wordsOf(name, recipe.target, schema, random), random) };
}

/** Lowers one amount of a refused recipe. Returns `undefined` if all are at their least. */
export function lessenRecipe(recipe: Recipe, random: Random): Recipe | undefined {
  const lower = AMOUNTS.flatMap((name): Partial<Recipe>[] => {
    const amounts: readonly string[] = DIMENSIONS[name];
    const next = amounts[amounts.indexOf(recipe[name]) + 1];
    return next === undefined ? [] : [{ [name]: next }];
  });
  return lower.length === 0 ? undefined : { ...recipe, ...pick(lower, random) };
}

/** Writes a recipe as `target=… value=…`, without plain values. */
export function formatRecipe(recipe: Recipe): string {
  const words = NAMES.filter((name) => recipe[name] !== DIMENSIONS[name][0]);
  return [`target=${recipe.target}`, ...words.map((name) => `${name}=${recipe[name]}`)].join(' ');
}

/**
 * Reads the text of `formatRecipe`.
 *
 * @throws {Error} for an unknown word.
 */
export function parseRecipe(text: string): Recipe {
  const given = new Map(text.split(' ').map((word) => word.split(/=(.*)/s) as [string, string]));
  const recipe: Record<string, string> = { target: given.get('target') ?? '' };
  for (const name of NAMES) {
    const options: readonly string[] = DIMENSIONS[name];
    const word = given.get(name) ?? options[0] ?? '';
    if (!options.includes(word))
      throw new Error(`${name} is one of ${options.join(', ')}, and not ${word}.`);
    recipe[name] = word;
  }
  return recipe as Recipe;
}
