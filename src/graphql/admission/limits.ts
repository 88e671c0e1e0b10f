import {
  BREAK,
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  parse,
  visit,
} from 'graphql';

import { requestError } from '../errors.ts';

/**
 * The limits of a document, checked before validation. `depth` is also checked with fragments
 * expanded.
 */
const DOCUMENT_LIMITS = {
  depth: [12, 'levels of selections'],
  /** Also the nesting of list types. */
  valueDepth: [64, 'levels of lists and objects in an argument'],
  aliases: [200, 'aliases in the document'],
  /** The alias may appear in each row of the response and in the path of each error. */
  aliasLength: [200, 'characters in an alias'],
  directives: [100, 'directives in the document'],
  operations: [50, 'operations in the document'],
  fragments: [100, 'fragments in the document'],
  variables: [100, 'variables of an operation'],
  /** In one list value. */
  listItems: [1_000, 'items in a list'],
  /**
   * Validation compares each of these fields with all others of its name. Fields without selections
   * and arguments, such as `id`, are not compared.
   */
  pairs: [10_000, 'pairs of fields with selections or arguments that go by the same name'],
  /** A tool needs one. With many forms, each result has megabytes. */
  schemas: [1, 'fields `__schema` in the document'],
  types: [10, 'fields `__type` in the document'],
} as const;

/** The limits of one operation with fragments expanded, and of its response. */
export const LIMITS = {
  /** Without comments. */
  tokens: 2_000,
  selections: 5_000,
  rootFields: 100,
  /** The highest number of response fields. It allows 200 fields for each row of a full page. */
  fields: 20_000,
  /** Characters of the response, counted while it is written. */
  answerLength: 8_000_000,
  /**
   * The limit for operations that read only the schema, because a graph may have hundreds of forms.
   */
  schemaLength: 32_000_000,
  /** In one response. The last error contains the number of omitted errors. */
  errors: 200,
  /**
   * The highest number of validation errors in one response. For each one, graphql-js searches the
   * document from its start.
   */
  validationErrors: 5,
  /**
   * The limit for clients that may see the schema. Each suggestion compares a name with the whole
   * schema.
   */
  suggestedErrors: 10,
} as const;

/** The depth limit of operations equals the one of documents. */
export const [MAX_DEPTH] = DOCUMENT_LIMITS.depth;

/** Creates the error for an exceeded limit. */
export const tooMany = (what: string, limit: number, found = limit + 1) =>
  requestError(400, `Too many ${what}: ${found} or more, and at most ${limit} are taken.`);

const tooManyOf = (kind: keyof typeof DOCUMENT_LIMITS) => {
  const [limit, what] = DOCUMENT_LIMITS[kind];
  return tooMany(what, limit);
};

/**
 * Parses a document and checks its limits and the schema's `findFault`. Returns the error if the
 * document must not be validated.
 */
export function parseOrError(text: string, schema: GraphQLSchema): DocumentNode | GraphQLError {
  try {
    const document = parse(text, { maxTokens: LIMITS.tokens });
    return findExcess(document) ?? schema.extensions.findFault?.(document) ?? document;
  } catch (error) {
    // The recursive parser runs out of stack before it reaches the token limit.
    if (error instanceof RangeError) return tooManyOf('valueDepth');
    if (!(error instanceof GraphQLError)) throw error;
    const isTooLong = error.message.includes(`more that ${LIMITS.tokens} tokens`);
    return isTooLong ? tooMany('tokens in the document', LIMITS.tokens) : error;
  }
}

/**
 * Returns the error for a text that exceeds a limit, so that it is not validated. Apollo Server
 * reports syntax errors.
 */
export function findTextExcess(text: string, schema: GraphQLSchema): GraphQLError | undefined {
  const document = parseOrError(text, schema);
  return document instanceof GraphQLError && 'http' in document.extensions ? document : undefined;
}

/** Returns the error for the first exceeded limit of a document. */
function findExcess(document: DocumentNode): GraphQLError | undefined {
  const counts = {
    aliases: 0,
    directives: 0,
    operations: 0,
    fragments: 0,
    pairs: 0,
    schemas: 0,
    types: 0,
  };
  const fieldsByName = new Map<string, number>();
  let depth = 0;
  let valueDepth = 0;
  let excess: GraphQLError | undefined;

  const check = (kind: keyof typeof DOCUMENT_LIMITS, found: number): typeof BREAK | undefined => {
    const [limit] = DOCUMENT_LIMITS[kind];
    if (found <= limit) return undefined;
    excess = tooManyOf(kind);
    return BREAK;
  };
  const add = (kind: keyof typeof counts, count = 1) => {
    counts[kind] += count;
    return check(kind, counts[kind]);
  };
  const checkPairs = (key: string) => {
    const before = fieldsByName.get(key) ?? 0;
    fieldsByName.set(key, before + 1);
    return add('pairs', before);
  };
  const checkField = ({ alias, name, arguments: args = [], selectionSet }: FieldNode) => {
    const meta = META_FIELDS.get(name.value);
    const isPlain = selectionSet === undefined && args.length === 0;
    return (
      (alias && add('aliases')) ??
      (alias && check('aliasLength', alias.value.length)) ??
      (meta && add(meta)) ??
      (isPlain ? undefined : checkPairs((alias ?? name).value))
    );
  };
  const value = { enter: () => check('valueDepth', ++valueDepth), leave: () => void valueDepth-- };

  visit(document, {
    OperationDefinition: ({ variableDefinitions = [] }) =>
      add('operations') ?? check('variables', variableDefinitions.length),
    FragmentDefinition: () => add('fragments'),
    SelectionSet: { enter: () => check('depth', ++depth), leave: () => void depth-- },
    Field: checkField,
    Directive: () => add('directives'),
    ListValue: {
      enter: ({ values }) => check('listItems', values.length) ?? value.enter(),
      leave: value.leave,
    },
    ObjectValue: value,
    ListType: value,
  });
  return excess;
}

const META_FIELDS: ReadonlyMap<string, 'schemas' | 'types'> = new Map([
  ['__schema', 'schemas'],
  ['__type', 'types'],
] as const);
