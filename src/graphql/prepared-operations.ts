import { type DocumentNode, GraphQLError, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';

import { type CostFunction, compileCost } from './cost.ts';
import { requestError } from './errors.ts';
import { type CompiledOperation, compileOperation } from './executor/index.ts';
import { findSelectionExcess, LIMITS } from './limits.ts';
import { compileVariablesCheck } from './variables.ts';

/** A valid operation with all that a request for it needs besides variables. */
export interface PreparedOperation {
  /** Differs from that of every other operation of the process. */
  readonly id: string;
  readonly kind: OperationDefinitionNode['operation'];
  readonly name: string | undefined;
  readonly run: CompiledOperation['run'];
  readonly checkVariables: (values: Readonly<Record<string, unknown>>) => GraphQLError | undefined;
  readonly costOf: CostFunction;
}

/** The least recently used cache of one schema version's operations, by document text and requested operation name. */
export interface PreparedOperations {
  get(text: string, operationName: string | undefined): PreparedOperation | undefined;
  /**
   * Prepares an operation of a valid document and keeps it.
   *
   * @returns the error where the document has no such operation, the schema none of its kind, or it selects too much.
   */
  prepare(document: DocumentNode, text: string, operationName: string | undefined): PreparedOperation | GraphQLError;
}

interface PreparedOptions {
  readonly schema: GraphQLSchema;
  /** Tells the schema from those before it. */
  readonly version: number;
  /** Whether clients may see the schema. */
  readonly isIntrospectable: boolean;
}

/** A compiled operation takes far more room than its text, so the texts of those that are kept are bounded. */
const MAX_CHARACTERS = 500_000;
const MAX_OPERATIONS = 1_000;

export function createPreparedOperations({ schema, version, isIntrospectable }: PreparedOptions): PreparedOperations {
  const kept = new LRUCache<string, PreparedOperation>({
    max: MAX_OPERATIONS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_operation, key) => key.length,
  });
  let count = 0;

  return {
    get: (text, operationName) => kept.get(keyOf(text, operationName)),
    prepare(document, text, operationName) {
      const compiled = compileOperation(schema, document, operationName, {
        maxLength: LIMITS.answerLength,
        maxErrors: LIMITS.errors,
        hideSuggestions: !isIntrospectable,
        isIntrospectable,
      });
      if (compiled instanceof GraphQLError) return requestError(400, compiled.message);
      const { operation, run } = compiled;
      const { operation: kind, name } = operation;
      const excess = findSelectionExcess(document, operation);
      if (excess) return excess;
      const prepared = {
        id: `${version}.${count++}`,
        kind,
        name: name?.value,
        run,
        checkVariables: compileVariablesCheck({ schema, document, operation, isIntrospectable }),
        costOf: compileCost({ schema, document, operation }),
      };
      kept.set(keyOf(text, operationName), prepared);
      return prepared;
    },
  };
}

/** Any string may come as the name, empty too, so its length goes first: no two pairs have one key. */
const keyOf = (text: string, operationName: string | undefined): string =>
  operationName === undefined ? `:${text}` : `${operationName.length}:${operationName}${text}`;
