import type { Tool } from '@modelcontextprotocol/server';
import {
  type DocumentNode,
  type GraphQLInputField,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type ObjectValueNode,
  type OperationDefinitionNode,
  parse,
  parseValue,
  print,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

import type { CostBasis } from '../../graphql/cost-rules.ts';
import { checkDocument, type NamedDocument } from '../../graphql/documents.ts';
import { planDocument } from '../../graphql/explain.ts';
import { KEY, toInputSchema, toOutputSchema } from './schemas.ts';

export type Variables = Readonly<Record<string, unknown>>;

/** A trusted document as a tool. */
export interface DocumentTool {
  readonly tool: Tool;
  /** What its author says of it. */
  readonly words: string;
  readonly isMutation: boolean;
  /** As it runs: each change takes an idempotency key. */
  readonly document: DocumentNode;
  readonly text: string;
  /** Gives the variables with a key for each change. */
  withKey(variables: Variables, key: string): Variables;
}

/** Gives the operations of a document that have a name and a description; none where it is no GraphQL. */
export function findDescribed({ text }: Pick<NamedDocument, 'text'>): readonly OperationDefinitionNode[] {
  try {
    return parse(text).definitions.flatMap((node) =>
      node.kind === Kind.OPERATION_DEFINITION && node.name && node.description?.value.trim() ? [node] : [],
    );
  } catch {
    return [];
  }
}

interface ToolsOptions {
  readonly schema: GraphQLSchema;
  readonly basis: CostBasis;
  /** How many calls an operation may make. */
  readonly maxCalls: number;
  readonly kinds: readonly string[];
}

export type Tools = ReadonlyMap<string, DocumentTool>;

/** Makes the tools of a schema. Documents that do not fit it have none. */
export function createTools(documents: readonly NamedDocument[], options: ToolsOptions): Tools {
  const tools = documents.flatMap(({ text }) => {
    const checked = checkDocument(text, options.schema);
    if ('problems' in checked) return [];
    return findDescribed({ text })
      .filter(({ operation }) => options.kinds.includes(operation))
      .map((operation) => createTool({ document: checked.document, operation, text }, options));
  });
  return new Map(tools.map((tool) => [tool.tool.name, tool]));
}

interface Described {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly text: string;
}

function createTool({ document, operation, text }: Described, options: ToolsOptions): DocumentTool {
  const { schema } = options;
  const isMutation = operation.operation === 'mutation';
  const words = operation.description?.value.trim() ?? '';
  const { keyed, keys, inputs, usedFor } = takeKeys(operation, schema);
  const calls = mostCalls({ document, operation, text }, options);
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const run: DocumentNode = { kind: Kind.DOCUMENT, definitions: [keyed, ...fragments] };
  return {
    words,
    isMutation,
    document: run,
    text: print(run),
    // Each change has a key of its own: with one for several, they would be one change.
    withKey: (variables, key) => ({
      ...variables,
      ...Object.fromEntries(keys.map((name, index) => [name, `${key}.${index}`])),
      ...Object.fromEntries(inputs.map((name) => [name, { ...(variables[name] as object), [KEY]: `${key}.${name}` }])),
    }),
    tool: {
      name: operation.name?.value ?? '',
      description: `${words}\n\nCosts at most ${calls} ${calls === 1 ? 'call' : 'calls'} to the platform.`,
      inputSchema: toInputSchema(operation, { schema, hidden: keys, usedFor }) as Tool['inputSchema'],
      outputSchema: toOutputSchema(operation, document, schema) as Tool['outputSchema'],
      annotations: { readOnlyHint: !isMutation, ...(isMutation && { destructiveHint: true }), openWorldHint: false },
    },
  };
}

/** Numbers are taken as the largest page, which costs as much as they can. */
function mostCalls({ operation, text }: Described, { schema, basis, maxCalls }: ToolsOptions): number {
  const numbers = (operation.variableDefinitions ?? []).flatMap(({ variable, type }) =>
    print(type).replace('!', '') === 'Int' ? [[variable.name.value, basis.pages.maxSize]] : [],
  );
  const limits = { calls: maxCalls, fields: Number.POSITIVE_INFINITY };
  const planned = planDocument(text, { schema, basis, limits, variables: Object.fromEntries(numbers) });
  const plan = 'plans' in planned && planned.plans.find((one) => one.operation === operation.name?.value);
  return plan ? Math.min(maxCalls, plan.calls.most) : maxCalls;
}

/**
 * Lets each change of a mutation take a key, which the gateway gives and a model does not see. Gives the variables that are
 * such keys, those that are whole inputs, and the fields of inputs that others are for.
 */
function takeKeys(operation: OperationDefinitionNode, schema: GraphQLSchema) {
  const info = new TypeInfo(schema);
  const keys: string[] = [];
  const inputs: string[] = [];
  const usedFor = new Map<string, GraphQLInputField>();
  const visited: OperationDefinitionNode = visit(
    operation,
    visitWithTypeInfo(info, {
      Argument(node) {
        const type = getNamedType(info.getInputType());
        const isChange = info.getParentType() === schema.getMutationType() && isInputObjectType(type);
        if (!isChange || !(KEY in type.getFields())) return undefined;
        const { value } = node;
        if (value.kind === Kind.VARIABLE) inputs.push(value.name.value);
        if (value.kind !== Kind.OBJECT) return undefined;
        const given = value.fields.find(({ name }) => name.value === KEY);
        const key = given?.value.kind === Kind.VARIABLE ? given.value.name.value : `${KEY}${keys.length}`;
        keys.push(key);
        const { fields } = parseValue(`{ ${KEY}: $${key} }`) as ObjectValueNode;
        return { ...node, value: { ...value, fields: [...value.fields.filter((one) => one !== given), ...fields] } };
      },
      ObjectField({ name, value }) {
        const type = getNamedType(info.getParentInputType());
        const field = isInputObjectType(type) ? type.getFields()[name.value] : undefined;
        if (field && value.kind === Kind.VARIABLE) usedFor.set(value.name.value, field);
      },
    }),
  );
  const { variableDefinitions = [] } = visited;
  const added = keys
    .filter((key) => !variableDefinitions.some(({ variable }) => variable.name.value === key))
    .flatMap(
      (key) =>
        (parse(`query ($${key}: ID) { key }`).definitions as [OperationDefinitionNode])[0].variableDefinitions ?? [],
    );
  return { keyed: { ...visited, variableDefinitions: [...variableDefinitions, ...added] }, keys, inputs, usedFor };
}
