import type { Tool } from '@modelcontextprotocol/server';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
} from 'graphql';

import { orUndefined } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { checkDocument, type NamedDocument } from '../../graphql/admission/documents.ts';
import { planDocument } from '../../graphql/admission/plan.ts';
import type { PreparedOperation, PreparedOperations } from '../../graphql/operations.ts';
import { PAGE_LIMITS } from '../../graphql/relay.ts';
import type { Dialect } from '../../upstream/dialect.ts';
import { toInputSchema } from './schemas.ts';

export type Variables = Readonly<Record<string, unknown>>;

/** A trusted document as a tool. */
export interface DocumentTool {
  readonly tool: Tool;
  readonly operation: PreparedOperation;
}

/** More tools than this confuse models and fill their context. */
const MANY_TOOLS = 30;

/**
 * Returns the problems that keep documents from being tools. Warns if there are no tools, or more
 * than `MANY_TOOLS`.
 */
export function checkTools(
  documents: readonly NamedDocument[],
  kinds: readonly string[],
  log: Log,
): readonly string[] {
  const described = withoutDoubles(documents)
    // Invalid GraphQL is reported by another check.
    .flatMap(({ text }) => orUndefined(() => describedIn(parse(text))) ?? [])
    .filter(({ operation }) => kinds.includes(operation));
  const { length: tools } = described;
  if (tools === 0)
    log.warn('MCP has no tools: no trusted document that it may run has a description');
  if (tools > MANY_TOOLS)
    log.warn(
      { tools },
      'MCP has more tools than models choose well from; describe fewer documents',
    );
  return [...Map.groupBy(described, (operation) => operation.name?.value)].flatMap(
    ([name, { length }]) =>
      length > 1 ? [`${length} operations with a description are named ${name}`] : [],
  );
}

/** Removes duplicates, since one document may have several ids. */
const withoutDoubles = (documents: readonly NamedDocument[]): readonly NamedDocument[] => [
  ...new Map(documents.map((document) => [document.text, document])).values(),
];

/** Returns the operations of a document that have a name and a description. */
const describedIn = ({ definitions }: DocumentNode): readonly OperationDefinitionNode[] =>
  definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION && node.name && node.description?.value.trim()
      ? [node]
      : [],
  );

interface ToolsOptions {
  readonly schema: GraphQLSchema;
  readonly prepared: PreparedOperations;
  readonly dialect: Dialect;
  /** The maximum number of calls of an operation. */
  readonly maxCalls: number;
  readonly kinds: readonly string[];
}

export type Tools = ReadonlyMap<string, DocumentTool>;

/** Creates the tools of a schema. Documents that do not fit the schema are skipped. */
export function createTools(documents: readonly NamedDocument[], options: ToolsOptions): Tools {
  const tools = withoutDoubles(documents).flatMap(({ text }) => {
    const checked = checkDocument(text, options.schema);
    if ('problems' in checked) return [];
    return describedIn(checked.document)
      .filter(({ operation }) => options.kinds.includes(operation))
      .flatMap((operation) => createTool({ document: checked.document, operation, text }, options));
  });
  return new Map(tools.map((tool) => [tool.tool.name, tool]));
}

interface Described {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly text: string;
}

function createTool(
  { document, operation, text }: Described,
  options: ToolsOptions,
): DocumentTool[] {
  const name = operation.name?.value ?? '';
  const prepared = options.prepared.prepare(document, text, name);
  if (prepared instanceof GraphQLError) return [];
  const isMutation = prepared.kind === 'mutation';
  const words = operation.description?.value.trim() ?? '';
  const onlyCreates = prepared.selected.selections.every(
    ({ definition }) => definition?.extensions.change?.word === 'create',
  );
  const calls = mostCalls({ document, operation, text }, options);
  const tool: Tool = {
    name,
    description: `${words}\n\nCosts at most ${calls} ${calls === 1 ? 'call' : 'calls'} to the platform.`,
    inputSchema: toInputSchema(prepared.selected) as Tool['inputSchema'],
    annotations: {
      readOnlyHint: !isMutation,
      ...(isMutation && { destructiveHint: !onlyCreates }),
      openWorldHint: false,
    },
  };
  return [{ tool, operation: prepared }];
}

/**
 * Returns the maximum number of calls. For variables of type `Int` it assumes the largest page
 * size, which costs the most.
 */
function mostCalls(
  { operation, text }: Described,
  { schema, dialect, maxCalls }: ToolsOptions,
): number {
  const numbers = (operation.variableDefinitions ?? []).flatMap(({ variable, type }) =>
    print(type).replace('!', '') === 'Int' ? [[variable.name.value, PAGE_LIMITS.maxSize]] : [],
  );
  const limits = { calls: maxCalls, fields: Number.POSITIVE_INFINITY };
  const planned = planDocument(text, {
    schema,
    dialect,
    limits,
    variables: Object.fromEntries(numbers),
  });
  const plan =
    'plans' in planned && planned.plans.find((one) => one.operation === operation.name?.value);
  return plan ? Math.min(maxCalls, plan.calls.most) : maxCalls;
}
