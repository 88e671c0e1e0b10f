import {
  type DocumentNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getOperationAST,
  isAbstractType,
  isObjectType,
  type OperationDefinitionNode,
} from 'graphql';

import { asksForSchema } from '../introspection.ts';
import { type CompiledOperation, compileOperation } from './operation.ts';

/** An operation of a document, and what runs it. */
export interface Compiled {
  readonly operation: OperationDefinitionNode;
  readonly run: CompiledOperation;
}

/** Compiles the operations of one schema. */
export interface Compiler {
  /**
   * Gives a document's operation compiled, each time the same for as long as the document is kept. `undefined` where the
   * document asks for the schema, or has no such operation: what has to be said then, graphql-js says.
   */
  compile(document: DocumentNode, operationName: string | undefined): Compiled | undefined;
}

interface CompilerOptions {
  /** How many characters the values of an answer may have together. */
  readonly maxLength?: number;
}

/**
 * Makes the compiler of a schema.
 *
 * @throws {Error} for a schema whose resolvers want to know how they are asked, which compiled operations do not tell.
 */
export function createCompiler(schema: GraphQLSchema, { maxLength = Infinity }: CompilerOptions = {}): Compiler {
  checkResolvers(schema);
  const compiled = new WeakMap<OperationDefinitionNode, Compiled | undefined>();
  return {
    compile(document, operationName) {
      const operation = getOperationAST(document, operationName);
      if (!operation) return undefined;
      if (!compiled.has(operation)) {
        const run = asksForSchema(document) ? undefined : compileOperation({ schema, document, operation, maxLength });
        compiled.set(operation, run && { operation, run });
      }
      return compiled.get(operation);
    },
  };
}

/** Source, arguments and context. */
const PARAMETERS = 3;

function checkResolvers(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isAbstractType(type) && !type.resolveType) throw new Error(`${type} must tell the types of its objects.`);
    if (isObjectType(type) && !type.name.startsWith('__')) checkObjectType(type);
  }
}

function checkObjectType(type: GraphQLObjectType): void {
  if (type.isTypeOf) throw new Error(`${type} must leave it to its interfaces to tell the types of objects.`);
  for (const { name, resolve } of Object.values(type.getFields())) {
    if (resolve && resolve.length > PARAMETERS) {
      throw new Error(`The resolver of ${type}.${name} may want source, arguments and context alone.`);
    }
  }
}
