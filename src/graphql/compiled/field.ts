import { BREAK, type FieldNode, type GraphQLField, type GraphQLObjectType, isNonNullType, visit } from 'graphql';

import { givenArguments } from './given-arguments.ts';
import { hold, isPromiseLike } from './hold.ts';
import type { Piece } from './piece.ts';
import { quote } from './quote.ts';
import type { Args, Run } from './run.ts';
import { giveUp, type Path, type Site } from './site.ts';
import { type Below, compileValue } from './value.ts';

/** A field of an object, ready to be written. */
export interface CompiledField {
  /** Its name in the answer, as JSON, colon included. */
  readonly label: string;
  /** @throws {GraphQLError} where it failed and `null` may not stand for it. */
  readonly write: (run: Run, source: unknown, around: Path | undefined) => Piece;
}

/** What a field is compiled with. */
export interface FieldBasis {
  readonly parent: GraphQLObjectType;
  readonly below: Below;
  /** Numbers the fields whose arguments depend on variables. */
  readonly nextArgs: () => number;
}

type Resolve = (source: unknown, run: Run) => unknown;

/** Makes the writer of a field that goes by `key` in the answer. */
export function compileField(
  key: string,
  nodes: Site['nodes'],
  { parent, below, nextArgs }: FieldBasis,
): CompiledField {
  const label = `${quote(key)}:`;
  const name = nodes[0].name.value;
  const typeName = quote(parent.name);
  if (name === '__typename') return { label, write: () => typeName };

  const field = parent.getFields()[name];
  if (field === undefined) throw new Error(`There is no field ${parent.name}.${name}.`);
  const site = { nodes, name: `${parent.name}.${name}`, isNullable: !isNonNullType(field.type) };
  const resolve = compileResolve(field, compileArgs(field, nodes, nextArgs));
  const write = compileValue(field.type, site, below);

  return {
    label,
    write(run, source, around) {
      try {
        const value = resolve(source, run);
        return isPromiseLike(value) ? hold(run, value, { site, around, key, write }) : write(run, value, around, key);
      } catch (thrown) {
        return giveUp(run, thrown, site, { around, key });
      }
    },
  };
}

function compileResolve({ name, resolve }: GraphQLField<unknown, unknown>, argsOf: (run: Run) => Args): Resolve {
  // The compiler takes no resolver that wants to know more than this.
  if (resolve) return (source, run) => resolve(source, argsOf(run), run.context, undefined as never);
  return (source, run) => {
    if (typeof source !== 'object' || source === null) return undefined;
    const member = (source as Readonly<Record<string, unknown>>)[name];
    return typeof member === 'function' ? member.call(source, argsOf(run), run.context) : member;
  };
}

/** Arguments are read once: for ever where they are the document's alone, else once a run. */
function compileArgs(field: GraphQLField<unknown, unknown>, [node]: Site['nodes'], nextArgs: () => number) {
  let constant: Args | undefined;
  if (!hasVariable(node)) {
    return (): Args => {
      constant ??= givenArguments(field, node);
      return constant;
    };
  }
  const number = nextArgs();
  return ({ args, variables }: Run): Args => {
    const known = args[number] ?? givenArguments(field, node, variables);
    args[number] = known;
    return known;
  };
}

function hasVariable({ arguments: args = [] }: FieldNode): boolean {
  let isFound = false;
  const Variable = () => {
    isFound = true;
    return BREAK;
  };
  for (const arg of args) visit(arg, { Variable });
  return isFound;
}
