import type { ApolloServerPlugin } from '@apollo/server';
import { type DocumentNode, GraphQLError, type OperationDefinitionNode } from 'graphql';

import type { OperationContext } from '../context.ts';
import type { CostBasis } from '../cost/basis.ts';
import { estimateCost } from '../cost/estimate.ts';
import type { ValidOperation } from '../cost/selection.ts';
import { type DocumentLimits, wordExcess } from './document.ts';
import { measureSelections, type Selected } from './selections.ts';
import { checkVariables } from './variables.ts';

/** How much one operation may ask, told before anything of it runs wherever it can be. */
export interface OperationLimits extends DocumentLimits {
  /** Fields and fragments, once fragments are put in where they are used. */
  readonly selections: number;
  readonly rootFields: number;
  /** Calls to the platform, at worst. */
  readonly calls: number;
  /** Fields of the answer, at worst. */
  readonly answerFields: number;
  /** Characters of the answer's values, counted while it runs. */
  readonly answerLength: number;
}

const WORDS = {
  selections: 'selections, fragments put in',
  depth: 'levels of selections, fragments put in',
  rootFields: 'fields at the root of the operation',
} as const satisfies Partial<Record<keyof OperationLimits, string>>;

/** Checks valid operations before they run. Both of its checks throw a GraphQLError that is meant for the client. */
export interface OperationChecks {
  /** Refuses what selects too much, whatever its variables are. */
  checkSelections(document: DocumentNode, operation: OperationDefinitionNode): void;
  /** Refuses variables that do not fit, and an operation that costs too much with them. */
  checkRequest(operation: ValidOperation, context: OperationContext): void;
}

export function createChecks(limits: OperationLimits): OperationChecks {
  const measured = new WeakMap<OperationDefinitionNode, Selected>();

  const checkCost = (operation: ValidOperation, basis: CostBasis): void => {
    const { calls, fields } = estimateCost(operation, basis);
    if (calls > limits.calls) {
      throw tooDear(`This may cost ${calls} calls to the platform, and at most ${limits.calls} are allowed.`);
    }
    if (fields > limits.answerFields) {
      throw tooDear(`The answer may have ${fields} fields, and at most ${limits.answerFields} are allowed.`);
    }
  };

  return {
    checkSelections(document, operation) {
      const found = measured.get(operation) ?? measureSelections(document, operation);
      measured.set(operation, found);
      for (const kind of ['selections', 'depth', 'rootFields'] as const) {
        if (found[kind] > limits[kind]) throw tooMuch(wordExcess(WORDS[kind], found[kind], limits[kind]));
      }
    },
    checkRequest(valid, { pages, upstream, explain }) {
      const { schema, document, operation, variables } = valid;
      const definitions = operation.variableDefinitions ?? [];
      checkVariables(variables, { schema, document, definitions, maxListItems: limits.listItems });
      // A plan is how one sees what is too dear.
      if (explain !== 'plan') checkCost(valid, { pages, dialect: upstream.dialect });
    },
  };
}

/** Refuses a valid operation that is beyond the limits. */
export function checkOperations({
  checkSelections,
  checkRequest,
}: OperationChecks): ApolloServerPlugin<OperationContext> {
  return {
    async requestDidStart() {
      return {
        async didResolveOperation({ schema, document, operation, request, contextValue }) {
          if (!operation) return;
          if (!schema.getRootType(operation.operation)) throw tooMuch(`There is no ${operation.operation} here.`);
          checkSelections(document, operation);
          checkRequest({ schema, document, operation, variables: request.variables ?? {} }, contextValue);
        },
      };
    },
  };
}

const refuse = (code: string) => (message: string) =>
  new GraphQLError(message, { extensions: { code, http: { status: 400 } } });
const tooMuch = refuse('BAD_USER_INPUT');
const tooDear = refuse('COST_EXCEEDED');
