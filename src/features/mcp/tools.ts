import type { Tool } from '@modelcontextprotocol/server';
import {
  type DocumentNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
} from 'graphql';

import { orUndefined } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { NamedDocument } from '../../graphql/admission/documents.ts';
import { planOperation } from '../../graphql/admission/plan.ts';
import { isRefused, type SchemaVersion } from '../../graphql/apollo-server.ts';
import type { PreparedOperation } from '../../graphql/operations.ts';
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
    node.kind === Kind.OPERATION_DEFINITION && isDescribed(node) ? [node] : [],
  );

const isDescribed = ({ name, description }: OperationDefinitionNode): boolean =>
  name !== undefined && Boolean(description?.value.trim());

interface ToolsOptions {
  readonly version: SchemaVersion;
  readonly dialect: Dialect;
  /** The maximum number of calls of an operation. */
  readonly maxCalls: number;
  readonly kinds: readonly string[];
}

export type Tools = ReadonlyMap<string, DocumentTool>;

/** Creates the tools of a schema version. A document that is not admitted has none. */
export async function createTools(
  documents: readonly NamedDocument[],
  options: ToolsOptions,
): Promise<Tools> {
  const tools = new Map<string, DocumentTool>();
  for (const { text } of withoutDoubles(documents)) {
    const admitted = await options.version.admitAll(text);
    if (isRefused(admitted)) continue;
    for (const operation of admitted) {
      const { definition } = operation.selected;
      if (!isDescribed(definition) || !options.kinds.includes(operation.kind)) continue;
      const tool = createTool(operation, options);
      tools.set(tool.name, { tool, operation });
    }
  }
  return tools;
}

function createTool(operation: PreparedOperation, options: ToolsOptions): Tool {
  const { name = '', kind, selected } = operation;
  const isMutation = kind === 'mutation';
  const words = selected.definition.description?.value.trim() ?? '';
  const onlyCreates = selected.selections.every(
    ({ definition }) => definition?.extensions.change?.verb === 'create',
  );
  const calls = mostCalls(operation, options);
  return {
    name,
    description: `${words}\n\nCosts at most ${calls} ${calls === 1 ? 'call' : 'calls'} to the platform.`,
    inputSchema: toInputSchema(selected) as Tool['inputSchema'],
    annotations: {
      readOnlyHint: !isMutation,
      ...(isMutation && { destructiveHint: !onlyCreates }),
      openWorldHint: false,
    },
  };
}

/**
 * Returns the maximum number of calls. For variables of type `Int` it assumes the largest page
 * size, which costs the most.
 */
function mostCalls(operation: PreparedOperation, { dialect, maxCalls }: ToolsOptions): number {
  const { variableDefinitions = [] } = operation.selected.definition;
  const numbers = variableDefinitions.flatMap(({ variable, type }) =>
    print(type).replace('!', '') === 'Int' ? [[variable.name.value, PAGE_LIMITS.maxSize]] : [],
  );
  const limits = { calls: maxCalls, fields: Number.POSITIVE_INFINITY };
  const variables = Object.fromEntries(numbers);
  const plan = planOperation(operation, { dialect, limits, variables });
  return plan instanceof GraphQLError ? maxCalls : Math.min(maxCalls, plan.calls.most);
}
