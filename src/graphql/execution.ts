import type { ApolloServerOptionsWithGateway } from '@apollo/server';
import { execute, type GraphQLSchema } from 'graphql';

import type { Compiler } from './compiled/index.ts';
import { createMaskedExecute, type Execute } from './introspection.ts';
import { rememberIntrospection } from './known-introspection.ts';

/** How Apollo Server is given a schema together with an executor of our own. */
export type SchemaAndExecutor = ApolloServerOptionsWithGateway<object>['gateway'];

interface ExecutionOptions {
  readonly schema: GraphQLSchema;
  readonly compiler: Compiler;
  /** Whether clients may ask what can be asked. */
  readonly isIntrospectable: boolean;
}

/** Joins a schema with what executes its operations: compiled, but for what is asked of the schema itself. */
export function createExecution({ schema, compiler, isIntrospectable }: ExecutionOptions): SchemaAndExecutor {
  const run = createExecute(compiler, isIntrospectable);

  return {
    onSchemaLoadOrUpdate(callback) {
      callback({ apiSchema: schema, coreSupergraphSdl: '' });
      return () => undefined;
    },
    async load() {
      return {
        executor: ({ document, request, context }) =>
          run({
            schema,
            document,
            contextValue: context,
            variableValues: request.variables,
            operationName: request.operationName,
          }),
      };
    },
    async stop() {},
  };
}

function createExecute({ compile }: Compiler, isIntrospectable: boolean): Execute {
  const plain: Execute = async (args) => execute(args);
  const uncompiled = rememberIntrospection(isIntrospectable ? plain : createMaskedExecute(plain));

  return async (args) => {
    const { document, operationName, variableValues, contextValue } = args;
    const compiled = compile(document, operationName ?? undefined);
    if (compiled === undefined) return uncompiled(args);
    const { data, errors } = await compiled.run(contextValue, variableValues ?? {});
    return { ...(data !== undefined && { data: JSON.parse(data) }), ...(errors.length > 0 && { errors }) };
  };
}
