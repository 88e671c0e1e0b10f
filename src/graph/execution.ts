import type { ApolloServerOptionsWithGateway } from '@apollo/server';
import { execute, type GraphQLSchema } from 'graphql';

import { createMaskedExecute, type Execute } from './introspection.ts';

/** How Apollo Server is given a schema together with an executor of our own. */
export type SchemaAndExecutor = ApolloServerOptionsWithGateway<object>['gateway'];

interface ExecutionOptions {
  readonly schema: GraphQLSchema;
  /** Whether clients may ask what can be asked. */
  readonly isIntrospectable: boolean;
}

/** Joins a schema with what executes its operations. */
export function createExecution({ schema, isIntrospectable }: ExecutionOptions): SchemaAndExecutor {
  const plain: Execute = async (args) => execute(args);
  const run = isIntrospectable ? plain : createMaskedExecute(plain);

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
