import {
  type DocumentNode,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';

import { DOCUMENT_FAULT } from '../answer-status.ts';
import { argumentPath } from '../input/argument-path.ts';
import { VIOLATIONS_MAX, type Violation } from '../input/violation.ts';
import type { Fault } from './fault.ts';
import { findFaults } from './find-faults.ts';

/** What the variables of a request are checked against. */
export interface VariableRules {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly definitions: readonly VariableDefinitionNode[];
  /** In any one list. */
  readonly maxListItems: number;
}

/**
 * Refuses variables that do not fit their types, and says where and what was expected, never what came: GraphQL's own
 * words would quote it. All that is wrong is told at once, also what a field would have had against a value of its type.
 * Stricter than GraphQL in this: a variable that the operation does not define is refused, and an id must be one that can
 * be asked, exactly as it was meant.
 *
 * @throws {GraphQLError} BAD_USER_INPUT that names the places.
 */
export function checkVariables(values: object, { schema, document, definitions, maxListItems }: VariableRules): void {
  const given = new Map<string, unknown>(Object.entries(values));
  const names = definitions.map(({ variable }) => variable.name.value);
  // GraphQL keeps variables in an object, whose prototype this would change.
  if (names.includes('__proto__')) throw refuse('No variable can be named __proto__.');
  if ([...given.keys()].some((name) => !names.includes(name))) {
    throw refuse(`A variable was given that the operation does not define; it defines ${list(names)}.`);
  }
  const faults = definitions.flatMap(({ variable, type, defaultValue }): readonly Fault[] => {
    const name = variable.name.value;
    // A type that is no input type has been refused by validation.
    const inputType = typeFromAST(schema, type as never) as GraphQLInputType | undefined;
    const isLeftToDefault = defaultValue !== undefined && given.get(name) === undefined;
    if (inputType === undefined || isLeftToDefault) return [];
    return findFaults(inputType, { value: given.get(name), path: [name], maxListItems });
  });
  // What fields alone have against values is for them to say, where it costs the other fields nothing.
  if (faults.some(({ kind }) => kind !== 'constraint')) throw refuseFaults(faults.slice(0, VIOLATIONS_MAX), document);
}

function refuseFaults(faults: readonly Fault[], document: DocumentNode): GraphQLError {
  const violations = faults.map(({ violation }): Violation => {
    const [variable, ...rest] = violation.path;
    return { ...violation, path: [...argumentPath(String(variable), document), ...rest] };
  });
  const isDocumentFault = faults.every(({ kind }) => kind !== 'size');
  const sentences = faults.map(({ sentence }) => sentence);
  return refuse(sentences.join(' '), { violations, ...(isDocumentFault && { [DOCUMENT_FAULT]: true }) });
}

const list = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.map((name) => `$${name}`).join(', ');

const refuse = (message: string, extensions = {}) =>
  new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', http: { status: 400 }, ...extensions } });
