import {
  type GraphQLAbstractType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';

import { hold, isPromiseLike, type WriteValue } from './hold.ts';
import { compileLeaf } from './leaf.ts';
import { append, createGap, type Gap, type Piece } from './piece.ts';
import type { Run } from './run.ts';
import { giveUp, type Path, type Site } from './site.ts';

/** Writes an object as the selections below a site ask for it. */
export type WriteObject = (run: Run, source: unknown, path: Path) => Piece;

/** What values are compiled with. */
export interface Below {
  /** Makes the writer of the objects of one type at a site. */
  objects(type: GraphQLObjectType, site: Site): WriteObject;
  /** Gives the type of an object at an abstract type. @throws {Error} for one that the schema does not have there. */
  typeOf(type: GraphQLAbstractType, source: unknown, run: Run): GraphQLObjectType;
}

/** Makes the writer of a field's values, or of a list's items. */
export function compileValue(type: GraphQLOutputType, site: Site, below: Below): WriteValue {
  const write = compileNullable(getNullableType(type), site, below);
  const isNullable = !isNonNullType(type);
  return (run, value, around, key) => {
    if (value instanceof Error) throw value;
    if (value !== null && value !== undefined) return write(run, value, around, key);
    if (isNullable) return 'null';
    throw new Error(`Cannot return null for non-nullable field ${site.name}.`);
  };
}

function compileNullable(type: GraphQLOutputType, site: Site, below: Below): WriteValue {
  if (isListType(type)) return compileList(type.ofType, site, below);
  if (isLeafType(type)) {
    const write = compileLeaf(type);
    return (run, value) => (run.isOverfull() ? 'null' : run.take(write(value)));
  }
  if (isAbstractType(type)) return compileAbstract(type, site, below);
  const write = below.objects(type as GraphQLObjectType, site);
  return (run, value, around, key) => write(run, value, { around, key });
}

function compileAbstract(type: GraphQLAbstractType, site: Site, below: Below): WriteValue {
  const writers = new Map<GraphQLObjectType, WriteObject>();
  return (run, value, around, key) => {
    const found = below.typeOf(type, value, run);
    const write = writers.get(found) ?? below.objects(found, site);
    writers.set(found, write);
    return write(run, value, { around, key });
  };
}

function compileList(type: GraphQLOutputType, list: Site, below: Below): WriteValue {
  const site = { ...list, isNullable: !isNonNullType(type) };
  const write = compileValue(type, site, below);

  const writeItem = (run: Run, item: unknown, around: Path, key: number): Piece => {
    try {
      return isPromiseLike(item) ? hold(run, item, { site, around, key, write }) : write(run, item, around, key);
    } catch (thrown) {
      return giveUp(run, thrown, site, { around, key });
    }
  };
  return (run, value, around, key) => {
    const path = { around, key };
    let text = '[';
    let gap: Gap | undefined;
    let index = 0;
    for (const item of toItems(value, list)) {
      const piece = writeItem(run, item, path, index);
      if (index++ > 0) text += ',';
      if (typeof piece === 'string') text += piece;
      else {
        gap = append(gap ?? createGap(list.isNullable), text, piece);
        text = '';
      }
    }
    return gap === undefined ? `${text}]` : append(gap, `${text}]`);
  };
}

function toItems(value: unknown, { name }: Site): Iterable<unknown> {
  if (Array.isArray(value)) return value;
  if (typeof value === 'object' && value !== null && Symbol.iterator in value) return value as Iterable<unknown>;
  throw new Error(`Expected Iterable, but did not find one for field "${name}".`);
}
