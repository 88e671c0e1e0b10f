import type { ApolloServerPlugin } from '@apollo/server';
import { type DocumentNode, GraphQLError, type OperationDefinitionNode } from 'graphql';

import type { OperationContext } from '../context.ts';
import { type DocumentLimits, wordExcess } from './document.ts';
import { measureSelections, type Selected } from './selections.ts';
import { checkVariables } from './variables.ts';

/** How much one operation may ask, all told before anything of it runs. */
export interface OperationLimits extends DocumentLimits {
  /** Fields and fragments, once fragments are put in where they are used. */
  readonly selections: number;
  readonly rootFields: number;
}

const WORDS = {
  selections: 'selections, fragments put in',
  depth: 'levels of selections, fragments put in',
  rootFields: 'fields at the root of the operation',
} as const satisfies Partial<Record<keyof OperationLimits, string>>;

/** Refuses a valid operation that selects too much, or whose variables do not fit, before it runs. */
export function createLimits(limits: OperationLimits): ApolloServerPlugin<OperationContext> {
  const measured = new WeakMap<OperationDefinitionNode, Selected>();

  const measure = (document: DocumentNode, operation: OperationDefinitionNode): Selected => {
    const found = measured.get(operation) ?? measureSelections(document, operation);
    measured.set(operation, found);
    return found;
  };

  return {
    async requestDidStart() {
      return {
        async didResolveOperation({ schema, document, operation, request }) {
          if (!operation) return;
          const found = measure(document, operation);
          for (const kind of ['selections', 'depth', 'rootFields'] as const) {
            if (found[kind] > limits[kind]) throw tooMuch(wordExcess(WORDS[kind], found[kind], limits[kind]));
          }
          const definitions = operation.variableDefinitions ?? [];
          checkVariables(request.variables ?? {}, { schema, definitions, maxListItems: limits.listItems });
        },
      };
    },
  };
}

const tooMuch = (message: string) =>
  new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } } });
