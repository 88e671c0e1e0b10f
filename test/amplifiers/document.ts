import { type GraphQLInputType, type GraphQLSchema, Lexer, Source, TokenKind } from 'graphql';

import type { Recipe } from './recipe.ts';
import { argumentsOf, findCycle, findTarget, selectionOf, type Target, wrap } from './target.ts';
import {
  hasList,
  membersOf,
  objectOf,
  sampleOf,
  VALUES,
  type Value,
  valueAround,
} from './values.ts';

/** A document with the variables of one request, as JSON. */
export interface Payload {
  readonly query: string;
  readonly variables: string;
  readonly operationName: string | undefined;
}

// The limits of the gateway, with some room.
const MAX_TEXT = 99_900;
const MAX_STRING = 99_900;
const MAX_BODY_BYTES = 250_000;
const MAX_VARIABLES = 230_000;
const MAX_ARGUMENTS = 980_000;
const MAX_TOKENS = 1_950;
const MAX_SELECTIONS = 4_800;
const MAX_ROOTS = 95;
const MAX_ALIASES = 190;
const MAX_DEPTH = 12;
const MAX_DIRECTIVES = 95;
const MAX_VARIABLE_NAMES = 95;
/** Fields of one name: validation compares each with each. */
const MAX_SAME = 135;
/** Tokens of the fragments that spread a field. */
const SPREAD_TOKENS = 300;
/** Levels of fragments. */
const LEVELS = 5;
const MAX_ALIAS_LENGTH = 200;

const FILLERS: Readonly<Record<string, string>> = {
  newlines: '\n',
  returns: '\r\n',
  comments: '#\n',
  commas: ',',
  spaces: ' ',
  marks: '\uFEFF',
};

/** How often each part of a document is repeated. */
interface Counts {
  /** The field, in one selection set. */
  readonly units: number;
  /** The places where fragments spread these fields. */
  readonly spreads: number;
  readonly operations: number;
  /** The items of the list around the value. */
  readonly items: number;
}

/** A document in construction. */
interface Draft {
  readonly recipe: Recipe;
  readonly target: Target;
  readonly schema: GraphQLSchema;
  readonly counts: Counts;
  /** The characters of each value. */
  readonly length: number;
  readonly variables: Variables;
}

/** Builds the payload of a recipe, as large as the limits allow. */
export function buildPayload(recipe: Recipe, schema: GraphQLSchema): Payload {
  const target = findTarget(recipe.target, schema);
  if (target.root === undefined) return buildArguments(recipe, target);

  const counts = countParts(recipe, target, schema);
  const withoutValues = writeDocument(recipe, target, schema, counts, 0);
  const free = Math.max(0, MAX_TEXT - withoutValues.query.length);
  const isFilled = recipe.text !== 'none';
  const length = lengthOfValue(recipe, counts, isFilled ? free / 2 : free);
  const written = writeDocument(recipe, target, schema, counts, Math.floor(length));
  return { ...written, query: fill(recipe.text, MAX_TEXT - written.query.length) + written.query };
}

/** Builds the arguments of a tool. */
function buildArguments(recipe: Recipe, target: Target): Payload {
  const { field, slot } = target;
  const [name, ...path] = slot;
  const items = Number(recipe.items);
  const part = recipe.size === 'over' ? 1 : Number(recipe.size);
  const length = Math.floor(Math.min(MAX_STRING, MAX_VARIABLES / items) * part);
  const leaf = (type: GraphQLInputType) => valueFor(recipe, target, type, length);
  const place = name === undefined ? undefined : { path, items, leaf };
  const variables = objectOf(membersOf(field.args, name, place)).json;
  return { query: '', variables, operationName: undefined };
}

/** Writes meaningless text of at most `length` characters. */
function fill(kind: string, length: number): string {
  if (kind === 'comment') return `#${'x'.repeat(Math.max(0, length - 2))}\n`;
  const filler = FILLERS[kind];
  if (filler === undefined) return '';
  const times = Math.min(length / filler.length, MAX_BODY_BYTES / 2 / Buffer.byteLength(filler));
  return filler.repeat(Math.max(0, Math.floor(times)));
}

/** Returns how often each part of the document fits into the limits. */
function countParts(recipe: Recipe, target: Target, schema: GraphQLSchema): Counts {
  const argument = target.field.args.find(({ name }) => name === target.slot[0]);
  const isInList = argument !== undefined && hasList(argument.type, target.slot.slice(1));
  const one = { units: 1, spreads: 1, operations: 1, items: isInList ? Number(recipe.items) : 1 };
  const part = Number(recipe.count);
  const tokensOf = (counts: Counts) =>
    countTokens(writeDocument(recipe, target, schema, counts, 3).query);

  const selected = selectionOf(target.field, recipe.selected, schema).match(/\w+/g) ?? [];
  // The field, its selected members, and a fragment around it.
  const places = target.steps.length === 0 ? MAX_ROOTS : MAX_SELECTIONS / (2 + selected.length);
  const tokens = tokensOf(one);
  const tokensOfUnit = tokensOf({ ...one, units: 2 }) - tokens;
  const room = (MAX_TOKENS - tokens - SPREAD_TOKENS) / tokensOfUnit;
  const most =
    { aliases: MAX_ALIASES, longAliases: MAX_ALIASES, keys: MAX_SAME, inline: MAX_SAME }[
      recipe.units
    ] ?? 1;
  const units = atLeastOne(Math.min(most, places, room) * part);
  const spreads = recipe.spread === 'none' ? 1 : atLeastOne((places / units) * part);
  const ofOperation = tokensOf({ ...one, units, spreads });
  const operations = atLeastOne(Math.min(Number(recipe.operations), MAX_TOKENS / ofOperation));
  return { units, spreads, operations, items: one.items };
}

const atLeastOne = (count: number): number => Math.max(1, Math.floor(count));

function countTokens(text: string): number {
  const lexer = new Lexer(new Source(text));
  let count = 0;
  while (lexer.advance().kind !== TokenKind.EOF) count++;
  return count;
}

/** Returns the characters that each value may have, if the document has `free` ones left. */
function lengthOfValue({ via, size }: Recipe, counts: Counts, free: number): number {
  const { units, spreads, operations, items } = counts;
  const inDocument = { literal: units * operations * items, default: 1, wholeDefault: items }[via];
  const inVariables = { variables: units, whole: items }[via] ?? 1;
  const most = inDocument ? free / inDocument : Math.min(MAX_STRING, MAX_VARIABLES / inVariables);
  if (size === 'over') return most;
  return Math.min(most, MAX_ARGUMENTS / (units * spreads * items)) * Number(size);
}

/** The variables of a document. */
class Variables {
  readonly #definitions = new Map<string, string>();
  readonly #values: string[] = [];

  /** Defines a variable, once, with a value or a default. Returns its text for the document. */
  declare(
    name: string,
    type: string,
    value: { readonly json?: string; readonly fallback?: string },
  ): string {
    if (!this.#definitions.has(name)) {
      const fallback = value.fallback === undefined ? '' : ` = ${value.fallback}`;
      this.#definitions.set(name, `$${name}: ${type}${fallback}`);
      if (value.json !== undefined) this.#values.push(`"${name}":${value.json}`);
    }
    return `$${name}`;
  }

  get header(): string {
    return this.#definitions.size === 0 ? '' : `(${[...this.#definitions.values()].join(' ')})`;
  }

  get json(): string {
    return `{${this.#values.join()}}`;
  }
}

function writeDocument(
  recipe: Recipe,
  target: Target,
  schema: GraphQLSchema,
  counts: Counts,
  length: number,
): Payload {
  const variables = new Variables();
  const draft: Draft = { recipe, target, schema, counts, length, variables };
  const units = Array.from({ length: counts.units }, (_, index) => writeUnit(draft, index)).join(
    ' ',
  );
  const { inside, fragments } = spread(draft, units);
  const selections = wrap(target.steps, Number(recipe.rows), inside);
  const operations = Array.from(
    { length: counts.operations },
    (_, index) => `${target.root} Q${index}${variables.header} { ${selections} }`,
  );
  const end = recipe.fault === 'syntax' ? ' }' : '';
  return {
    query: `${operations.join(' ')} ${fragments}${end}`,
    variables: variables.json,
    operationName: counts.operations > 1 ? 'Q0' : undefined,
  };
}

/** Writes the field once. */
function writeUnit(draft: Draft, index: number): string {
  const { recipe, target, schema } = draft;
  const { field, parent } = target;
  const short = `a${index}`;
  const long = short.padEnd(MAX_ALIAS_LENGTH, 'x');
  const alias = { aliases: `${short}: `, longAliases: `${long}: ` }[recipe.units] ?? '';
  const name = recipe.fault === 'field' ? `${field.name}x` : field.name;
  const args = recipe.fault === 'variable' ? '(unknown: $unknown)' : writeArguments(draft, index);
  const selection = selectionOf(field, recipe.selected, schema);
  const text = `${alias}${name}${args} ${writeDirective(draft, index)} ${selection}`;
  return recipe.units === 'inline' ? `... on ${parent.name} { ${text} }` : text;
}

function writeArguments(draft: Draft, index: number): string {
  const { recipe, target, counts, length, variables } = draft;
  const { field, slot } = target;
  const [name, ...path] = slot;
  const rows = Number(recipe.rows);
  const argument = field.args.find((one) => one.name === name);
  if (argument === undefined) return argumentsOf(field, rows);

  const around = (leaf: (type: GraphQLInputType) => Value): Value =>
    valueAround(argument.type, { path, items: counts.items, leaf });
  const variable = `v${recipe.via === 'variables' ? index % MAX_VARIABLE_NAMES : 0}`;
  const declareAs = (
    type: GraphQLInputType,
    { json, literal }: Value,
    isDefault: boolean,
  ): string =>
    variables.declare(variable, String(type), isDefault ? { fallback: literal } : { json });

  const isDefault = recipe.via === 'default' || recipe.via === 'wholeDefault';
  const value = around((type) => valueFor(recipe, target, type, length));
  let text = value.literal;
  if (recipe.via === 'whole' || recipe.via === 'wholeDefault')
    text = declareAs(argument.type, value, isDefault);
  if (recipe.via === 'variable' || recipe.via === 'variables' || recipe.via === 'default') {
    const placed = around((type) => {
      const literal = declareAs(type, valueFor(recipe, target, type, length), isDefault);
      return { literal, json: '' };
    });
    text = placed.literal;
  }
  return argumentsOf(field, rows, { [argument.name]: text });
}

function writeDirective({ recipe, variables }: Draft, index: number): string {
  if (index >= MAX_DIRECTIVES) return '';
  if (recipe.directives === 'constant') return '@skip(if: false)';
  if (recipe.directives === 'unknown') return '@unknown';
  if (recipe.directives === 'none') return '';
  const name = recipe.directives === 'variable' ? 'b' : `b${index}`;
  return `@include(if: ${variables.declare(name, 'Boolean!', { json: 'true' })})`;
}

const valueFor = (
  { value }: Recipe,
  { slot }: Target,
  type: GraphQLInputType,
  length: number,
): Value => VALUES[value]?.(length) ?? sampleOf(type, slot.at(-1) ?? '');

/** Spreads the fields `counts.spreads` times, by levels of fragments. */
function spread({ recipe, target, schema, counts }: Draft, units: string) {
  const { parent, steps } = target;
  if (counts.spreads === 1) return { inside: units, fragments: '' };

  const cycle = recipe.spread === 'nested' ? findCycle(parent, schema) : undefined;
  const levels = recipe.spread === 'wide' ? 2 : levelsOf(cycle?.length ?? 0, steps.length);
  const each = atLeastOne(counts.spreads ** (1 / levels));
  const writeLevel = (level: number): string => {
    const below = `...F${level}`;
    const writeOne = (index: number) => (cycle ? `c${index}: ${wrap(cycle, 1, below)}` : below);
    return Array.from({ length: each }, (_, index) => writeOne(index)).join(' ');
  };
  const fragments = Array.from({ length: levels }, (_, level) => {
    const inside = level === levels - 1 ? units : writeLevel(level + 1);
    return `fragment F${level} on ${parent.name} { ${inside} }`;
  });
  return { inside: writeLevel(0), fragments: fragments.join(' ') };
}

/** Returns how many levels of fragments fit, if each takes `cycle` steps below `steps` others. */
function levelsOf(cycle: number, steps: number): number {
  if (cycle === 0) return LEVELS;
  return Math.max(1, Math.min(LEVELS, Math.floor((MAX_DEPTH - steps - 2) / cycle)));
}
