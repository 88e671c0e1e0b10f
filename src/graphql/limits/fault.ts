import type { GraphQLInputType } from 'graphql';

import type { ConstraintWord, Objection, Violation } from '../input/violation.ts';

/** What is wrong with a value of a variable. */
export interface Fault {
  /** Says where and what was expected, never what came. */
  readonly sentence: string;
  /** Its path starts with the variable's name. */
  readonly violation: Violation;
  /** `type`: it is not of its type. `size`: there is too much of it. `constraint`: its field has something against it. */
  readonly kind: 'type' | 'size' | 'constraint';
}

type Path = Violation['path'];

interface MismatchOptions {
  readonly constraint?: 'required' | 'choices' | 'kind';
  /** What the type itself has to say. */
  readonly sentence?: string;
}

/** A value that does not fit its type. */
export function toMismatch(path: Path, type: GraphQLInputType, options: MismatchOptions = {}): Fault {
  const { constraint = 'kind', sentence = `${wordPath(path)} does not fit its type, ${type}.` } = options;
  const message = MESSAGES[constraint] ?? `must be of the type ${type}`;
  return { sentence, violation: { path, constraint, message }, kind: 'type' };
}

const MESSAGES: Readonly<Partial<Record<ConstraintWord, string>>> = {
  required: 'must have a value',
  choices: 'must be one of the choices',
};

/** An id that nobody can have. */
export const toBadId = (path: Path, message: string): Fault => ({
  sentence: `The id ${wordPath(path)} ${message}.`,
  violation: { path, constraint: 'kind', message },
  kind: 'size',
});

/** A list with too many items. */
export const toLongList = (path: Path, items: number, limit: number): Fault => ({
  sentence: `Too many items in the list ${wordPath(path)}: ${items}, and at most ${limit} are taken.`,
  violation: { path, constraint: 'maxItems', limit, message: `must have at most ${limit} items` },
  kind: 'size',
});

/** A value that its field has something against. */
export const toObjected = (path: Path, objection: Objection): Fault => ({
  sentence: `${wordPath(path)} ${objection.message}.`,
  violation: { path, ...objection },
  kind: 'constraint',
});

/** Such as `$where[0].field`. */
const wordPath = ([variable, ...rest]: Path): string =>
  `$${variable}${rest.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')}`;
