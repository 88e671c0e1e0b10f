import {
  type FieldNode,
  GraphQLBoolean,
  GraphQLError,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  type GraphQLLeafType,
  GraphQLString,
  locatedError,
} from 'graphql';

import type { Args, Variables } from '../admission/selections.ts';

/** All nodes of a document that select one field of an object; the first one has its arguments. */
export type FieldNodes = readonly [FieldNode, ...FieldNode[]];

/** The result of an operation. */
export interface Result {
  /** The answer without its errors, as JSON and a line's end: `{"data":…}`; `undefined` where nothing was executed. */
  readonly text: string | undefined;
  /** As they were thrown, in the order of the answer. */
  readonly errors: readonly GraphQLError[];
  /** Whether a field at the root has a value. */
  readonly hasData: boolean;
}

/** The way to a value in the answer, from the inside out. */
export interface Path {
  readonly prev: Path | undefined;
  /** A field's response name, or an item's index. */
  readonly key: string | number;
  /** The place of the key among its siblings. */
  readonly order: number;
}

/** A part of the answer: JSON text, or a placeholder where some of it is still pending. */
export type Chunk = string | Placeholder;

/** Writes a value that is there and not `null`; `undefined` where a failure below it takes it along. @throws its own failure. */
export type WriteValue = (
  execution: Execution,
  value: unknown,
  prev: Path | undefined,
  key: string | number,
) => Chunk | undefined;

/** A place of the operation at which values stand: a field, or the items of its list. */
export interface ValueInfo {
  readonly nodes: FieldNodes;
  /** `Type.field`, for messages. */
  readonly coordinate: string;
  /** The field's place in its object. */
  readonly order: number;
  readonly isNullable: boolean;
  readonly write: WriteValue;
}

interface Pending {
  readonly placeholder: Placeholder;
  readonly info: ValueInfo;
  readonly prev: Path | undefined;
  readonly key: string | number;
}

interface Failure {
  readonly thrown: unknown;
  readonly nodes: FieldNodes;
  readonly path: Path;
}

interface ExecutionOptions {
  readonly context: unknown;
  /** Coerced, with their defaults. */
  readonly variables: Variables;
  /** How many characters the values and aliases of the answer may have together. */
  readonly maxLength: number;
  /** How many errors the answer may have. */
  readonly maxErrors: number;
}

/** A place in the answer whose text is not complete. */
export class Placeholder {
  readonly isNullable: boolean;
  /** `undefined` for the whole answer, and for a place that the answer has lost. */
  parent: Placeholder | undefined = undefined;
  isNull = false;
  readonly #chunks: Chunk[] = [];

  constructor(isNullable: boolean) {
    this.isNullable = isNullable;
  }

  append(chunk: Chunk): this {
    this.#chunks.push(chunk);
    if (typeof chunk !== 'string') chunk.parent = this;
    return this;
  }

  toText(): string {
    if (this.isNull) return 'null';
    let text = '';
    for (const chunk of this.#chunks) text += typeof chunk === 'string' ? chunk : chunk.toText();
    return text;
  }
}

/** One run of a compiled operation: what it waits for, what failed, and the answer so far. */
export class Execution {
  readonly context: unknown;
  readonly variables: Variables;
  /** Arguments that depend on variables, by their number in the operation, once they were needed. */
  readonly args: (Args | undefined)[] = [];
  /** The whole answer. */
  readonly root = new Placeholder(true);
  /** Characters in the values and aliases so far. */
  length = 0;
  readonly #maxLength: number;
  readonly #maxErrors: number;
  readonly #failures: Failure[] = [];
  readonly #pending = new Map<PromiseLike<unknown>, Pending[]>();
  #onIdle: (() => void) | undefined;

  constructor({ context, variables, maxLength, maxErrors }: ExecutionOptions) {
    this.context = context;
    this.variables = variables;
    this.#maxLength = maxLength;
    this.#maxErrors = maxErrors;
  }

  /** Whether the answer has grown too large to be given, so that nothing more has to be read or written. */
  get isTooLarge(): boolean {
    return this.length > this.#maxLength;
  }

  get isIdle(): boolean {
    return this.#pending.size === 0;
  }

  /** Resolves when nothing is pending; `undefined` where nothing is. */
  idle(): Promise<void> | undefined {
    if (this.isIdle) return undefined;
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }

  /** Gives the text of a value, or a placeholder for one that is pending; `undefined` where it failed and no `null` may be. */
  complete(info: ValueInfo, value: unknown, prev: Path | undefined, key: string | number): Chunk | undefined {
    try {
      if (value === null || value === undefined) {
        if (info.isNullable) return this.#writeNull();
        throw new Error(`Cannot return null for non-nullable field ${info.coordinate}.`);
      }
      if (typeof value === 'object') {
        if (isPromiseLike(value)) return this.#defer(value, info, prev, key);
        if (value instanceof Error) throw value;
      }
      return info.write(this, value, prev, key) ?? (info.isNullable ? 'null' : undefined);
    } catch (thrown) {
      return this.fail(thrown, info, prev, key);
    }
  }

  /** Keeps an error of the answer. Gives what stands for the value: `undefined` where no `null` may be. */
  fail(thrown: unknown, info: ValueInfo, prev: Path | undefined, key: string | number): 'null' | undefined {
    this.#failures.push({ thrown, nodes: info.nodes, path: pathOf(info, prev, key) });
    return info.isNullable ? 'null' : undefined;
  }

  /** Puts a chunk where its placeholder is; `undefined` makes the smallest place around it that may be `null` `null`. */
  fill(placeholder: Placeholder, chunk: Chunk | undefined): void {
    if (chunk !== undefined) return void placeholder.append(chunk);
    let place = placeholder;
    while (!place.isNullable && place.parent) place = place.parent;
    place.isNull = true;
  }

  /** @param nulls gives the data of an answer whose fields at the root are all `null`. */
  finish(nulls: () => string): Result {
    const errors = this.isTooLarge ? [tooLarge(this.#maxLength)] : this.#errors();
    const data = this.isTooLarge ? 'null' : this.root.toText();
    const text = `{"data":${data}}\n`;
    // Flattens the rope that the text is. One that waits as it is has its thousands of nodes copied by the garbage collector.
    Buffer.byteLength(text);
    return { text, errors, hasData: errors.length === 0 || (data !== 'null' && data !== nulls()) };
  }

  /** Nothing that is there is free: an answer may be of nulls alone. */
  #writeNull(): 'null' {
    this.length += 'null'.length;
    return 'null';
  }

  /** Waits once for a promise, however many values of the answer come with it. */
  #defer(promise: PromiseLike<unknown>, info: ValueInfo, prev: Path | undefined, key: string | number): Placeholder {
    const placeholder = new Placeholder(info.isNullable);
    const pending = { placeholder, info, prev, key };
    const others = this.#pending.get(promise);
    if (others) {
      others.push(pending);
      return placeholder;
    }
    const group: Pending[] = [pending];
    this.#pending.set(promise, group);
    const settle = (write: (pending: Pending) => Chunk | undefined, value?: unknown) => {
      // What is added meanwhile because it comes with the same promise is written by this loop as well.
      for (const next of group) {
        if (this.#isAwaited(next.placeholder)) this.fill(next.placeholder, write(next));
        else ignoreRejections(value);
      }
      this.#pending.delete(promise);
      if (this.isIdle) this.#onIdle?.();
    };
    const native = promise instanceof Promise ? promise : Promise.resolve(promise);
    native.then(
      (value) => settle((next) => this.complete(next.info, value, next.prev, next.key), value),
      (thrown) => settle((next) => this.fail(thrown, next.info, next.prev, next.key)),
    );
    return placeholder;
  }

  /** Whether a placeholder still has its place in an answer that will be given. */
  #isAwaited(placeholder: Placeholder): boolean {
    let place = placeholder;
    while (place.parent && !place.isNull) place = place.parent;
    return place === this.root && !place.isNull && !this.isTooLarge;
  }

  #errors(): readonly GraphQLError[] {
    const failures = this.#failures.map(({ thrown, nodes, path }) => ({ thrown, nodes, path: toPlaces(path) }));
    // They are in the order in which they happened, which the same operation may not repeat.
    if (failures.length > 1) failures.sort((one, other) => comparePlaces(one.path, other.path));
    const kept = failures.length > this.#maxErrors ? failures.slice(0, this.#maxErrors - 1) : failures;
    const errors = kept.map(({ thrown, nodes, path }) =>
      locatedError(
        thrown,
        nodes,
        path.map(({ key }) => key),
      ),
    );
    if (kept.length < failures.length) errors.push(leftOut(failures.length - kept.length));
    return errors;
  }
}

export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as PromiseLike<unknown>).then === 'function';
}

/** Handles rejections of the items of a list that is discarded or cut, since nothing else awaits them. */
export function ignoreRejections(value: unknown): undefined {
  if (!Array.isArray(value)) return;
  for (const item of value) if (isPromiseLike(item)) item.then(undefined, () => undefined);
}

export const pathOf = ({ order }: Pick<ValueInfo, 'order'>, prev: Path | undefined, key: string | number): Path => ({
  prev,
  key,
  order: typeof key === 'number' ? key : order,
});

/** The way to a value from the outside in. */
function toPlaces(path: Path): readonly Path[] {
  const places: Path[] = [];
  for (let place: Path | undefined = path; place; place = place.prev) places.push(place);
  return places.reverse();
}

function comparePlaces(one: readonly Path[], other: readonly Path[]): number {
  for (const [index, { order }] of one.entries()) {
    const place = other[index];
    if (place === undefined) return 1;
    if (place.order !== order) return order - place.order;
  }
  return one.length - other.length;
}

const tooLarge = (maxLength: number) =>
  new GraphQLError(
    `The answer is not given: its values have more than ${maxLength} characters. What was changed is changed.`,
    { extensions: { code: 'ANSWER_TOO_LARGE' } },
  );

const leftOut = (count: number) =>
  new GraphQLError(`${count} more errors are left out.`, { extensions: { code: 'TOO_MANY_ERRORS' } });

/** Characters that a JSON string must escape. Halves of surrogate pairs are escaped, so that the text is valid UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must be escaped.
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Gives a string as JSON. The general way is slower, and most strings need no escape. */
export const quote = (text: string): string => (ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`);

/** Writes a leaf value that is not `null` as JSON. @throws {Error} for a value that does not fit the type. */
type WriteLeaf = (value: unknown) => string;

/** Makes the writer of a leaf type. */
export function compileLeaf(type: GraphQLLeafType): WriteLeaf {
  const write: WriteLeaf = (value) => {
    const serialized = type.serialize(value);
    const text = serialized == null ? undefined : toJson(serialized);
    if (text === undefined) throw new Error(`Expected \`${type}.serialize()\` to return a value.`);
    return text;
  };
  // What the built-in types hold mostly is as it is written.
  if (type === GraphQLString || type === GraphQLID) {
    return (value) => (typeof value === 'string' ? quote(value) : write(value));
  }
  if (type === GraphQLBoolean) return (value) => (typeof value === 'boolean' ? String(value) : write(value));
  if (type === GraphQLInt) return (value) => (isInt(value) ? String(value) : write(value));
  if (type === GraphQLFloat) return (value) => (Number.isFinite(value) ? String(value) : write(value));
  return write;
}

/** Whether a value is an integer of 32 bits. */
const isInt = (value: unknown): boolean => typeof value === 'number' && (value | 0) === value;

function toJson(value: unknown): string | undefined {
  if (typeof value === 'string') return quote(value);
  return Number.isFinite(value) ? String(value) : JSON.stringify(value);
}
