import type { ApolloServerOptionsWithGateway } from '@apollo/server';
import { GraphQLError, type GraphQLSchema } from 'graphql';

import type { Compiler } from './compiler.ts';

/** How Apollo Server is given a schema together with an executor of our own. */
export type SchemaAndExecutor = ApolloServerOptionsWithGateway<object>['gateway'];

interface ExecutionOptions {
  readonly schema: GraphQLSchema;
  readonly compiler: Compiler;
}

/** Joins a schema with what executes its operations. */
export function createExecution({ schema, compiler }: ExecutionOptions): SchemaAndExecutor {
  return {
    onSchemaLoadOrUpdate(callback) {
      callback({ apiSchema: schema, coreSupergraphSdl: '' });
      return () => undefined;
    },
    async load() {
      return {
        async executor({ document, request, context }) {
          const operation = compiler.compile(document, request.operationName);
          if (operation instanceof GraphQLError) return { errors: [operation] };
          const { data, errors } = await operation.run(context, request.variables ?? {});
          return { ...(data !== undefined && { data: JSON.parse(data) }), ...(errors.length > 0 && { errors }) };
        },
      };
    },
    async stop() {},
  };
}
