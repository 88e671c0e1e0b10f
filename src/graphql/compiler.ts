import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql';

import { type CompiledOperation, type CompileOptions, compileOperation } from './executor/index.ts';

/** Compiles the operations of one schema. */
export interface Compiler {
  /**
   * Gives a document's operation compiled, each time the same for as long as the document is kept. Gives an error where the
   * document does not have that operation.
   */
  compile(document: DocumentNode, operationName: string | undefined): CompiledOperation | GraphQLError;
}

interface CompilerOptions extends Pick<CompileOptions, 'maxLength'> {
  /** Whether callers may see the schema. */
  readonly isIntrospectable: boolean;
}

/** Makes the compiler of a schema. Where callers may not see the schema, no error names a part of it that they did not name. */
export function createCompiler(schema: GraphQLSchema, { maxLength, isIntrospectable }: CompilerOptions): Compiler {
  const options = { maxLength, isIntrospectable, hideSuggestions: !isIntrospectable };
  const compiled = new WeakMap<DocumentNode, Map<string | undefined, CompiledOperation>>();

  return {
    compile(document, operationName) {
      const operations = compiled.get(document) ?? new Map<string | undefined, CompiledOperation>();
      const operation = operations.get(operationName) ?? compileOperation(schema, document, operationName, options);
      if (operation instanceof GraphQLError) return operation;
      compiled.set(document, operations.set(operationName, operation));
      return operation;
    },
  };
}
