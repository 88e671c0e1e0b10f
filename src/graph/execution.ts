import type { ApolloServerOptionsWithGateway } from '@apollo/server';
import { execute, type GraphQLSchema } from 'graphql';

import { createCompiler } from './compiled/index.ts';
import { createMaskedExecute, type Execute } from './introspection.ts';

/** How Apollo Server is given a schema together with an executor of our own. */
export type SchemaAndExecutor = ApolloServerOptionsWithGateway<object>['gateway'];

interface ExecutionOptions {
  readonly schema: GraphQLSchema;
  /** Whether clients may ask what can be asked. */
  readonly isIntrospectable: boolean;
  /** How many characters the values of an answer may have together. */
  readonly maxAnswerLength: number;
}

/** Joins a schema with what executes its operations: compiled, but for what is asked of the schema itself. */
export function createExecution(options: ExecutionOptions): SchemaAndExecutor {
  const { schema } = options;
  const run = createExecute(options);

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

function createExecute({ schema, isIntrospectable, maxAnswerLength }: ExecutionOptions): Execute {
  const { compile } = createCompiler(schema, { maxLength: maxAnswerLength });
  const plain: Execute = async (args) => execute(args);
  const uncompiled = isIntrospectable ? plain : createMaskedExecute(plain);

  return async (args) => {
    const { document, operationName, variableValues, contextValue } = args;
    const operation = compile(document, operationName ?? undefined);
    if (operation === undefined) return uncompiled(args);
    const { data, errors } = await operation(contextValue, variableValues ?? {});
    return { ...(data !== undefined && { data: JSON.parse(data) }), ...(errors.length > 0 && { errors }) };
  };
}
