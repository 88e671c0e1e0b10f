import {
  type DocumentNode,
  type ExecutionResult,
  type FormattedExecutionResult,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';

import type { Execute } from './introspection.ts';

/** How many answers are kept: tools ask in a few ways, and an answer of a large schema has megabytes. */
const KEPT_MAX = 4;
/** The longest question whose answer is kept, in characters; the usual ones have two thousand. */
const QUESTION_MAX = 10_000;

/** Remembers what was answered to who asks for the schema alone: it is the same for everybody, for as long as the schema is. */
export function rememberIntrospection(inner: Execute): Execute {
  const known = new Map<string, ExecutionResult>();

  return async (args) => {
    const { document, operationName, variableValues } = args;
    const text = document.loc?.source.body;
    if (text === undefined || !asksForSchemaAlone(document)) return inner(args);
    const question = JSON.stringify([text, operationName, variableValues]);
    const kept = known.get(question);
    if (kept) return { ...kept };
    const answer = await inner(args);
    if (answer.errors || question.length > QUESTION_MAX) return answer;
    const [oldest = ''] = known.keys();
    if (known.size >= KEPT_MAX) known.delete(oldest);
    known.set(question, { ...answer });
    return answer;
  };
}

/**
 * Makes what writes the server's results, as it does by itself; of those that show the schema, and come again as the same object,
 * the text is kept beside them.
 */
export function createStringify(): (result: FormattedExecutionResult) => string {
  const texts = new WeakMap<object, string>();
  const write = (result: FormattedExecutionResult): string => `${JSON.stringify(result)}\n`;

  return (result) => {
    const { data, errors, extensions } = result;
    if (!data || !('__schema' in data) || errors || extensions) return write(result);
    const text = texts.get(data) ?? write(result);
    texts.set(data, text);
    return text;
  };
}

/** Whether every operation of a document asks for nothing but the schema. */
function asksForSchemaAlone({ definitions }: DocumentNode): boolean {
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  return operations.every(isIntrospection);
}

const isIntrospection = ({ selectionSet }: OperationDefinitionNode): boolean =>
  selectionSet.selections.every((node) => node.kind === Kind.FIELD && node.name.value.startsWith('__'));
