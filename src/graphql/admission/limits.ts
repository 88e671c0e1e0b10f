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

/** How much a document may hold, checked before it is validated, and of what; the depth also with fragments put in. */
const DOCUMENT_LIMITS = {
  depth: [12, 'levels of selections'],
  /** Lists within types as well. */
  valueDepth: [64, 'levels of lists and objects in an argument'],
  aliases: [200, 'aliases in the document'],
  /** It may stand at each row of the answer, and in the path of each error. */
  aliasLength: [200, 'characters in an alias'],
  directives: [100, 'directives in the document'],
  operations: [50, 'operations in the document'],
  fragments: [100, 'fragments in the document'],
  variables: [100, 'variables of an operation'],
  /** In any one list of arguments. */
  listItems: [1_000, 'items in a list'],
  /** As validation compares each with each. Plain fields, such as `id`, cost nothing there. */
  pairs: [10_000, 'pairs of fields with selections or arguments that go by the same name'],
  /** A tool needs one. Each answer has megabytes where there are many forms. */
  schemas: [1, 'fields `__schema` in the document'],
  types: [10, 'fields `__type` in the document'],
} as const;

/** How much one operation may ask for, fragments put in, and how long its answer may be. */
export const LIMITS = {
  /** Comments are none. */
  tokens: 2_000,
  selections: 5_000,
  rootFields: 100,
  /** Fields of the answer, at worst: 200 for each row that a page may have. */
  fields: 20_000,
  /** Characters of the answer, counted while it is written. */
  answerLength: 8_000_000,
  /** The same for an operation that reads the schema alone: a graph may have hundreds of forms. */
  schemaLength: 32_000_000,
  /** In an answer; the last one says how many are left out. */
  errors: 200,
  /** The errors of validation: graphql-js searches the document from its start for the line of each. */
  validationErrors: 5,
  /** The same for clients that may see the schema. Each suggestion compares a name with all of the schema. */
  suggestedErrors: 10,
} as const;

/** Of an operation, fragments put in, as of its document. */
export const [MAX_DEPTH] = DOCUMENT_LIMITS.depth;

/** The error that refuses what holds too much of something. */
export const tooMany = (what: string, limit: number, found = limit + 1) =>
  requestError(400, `Too many ${what}: ${found} or more, and at most ${limit} are taken.`);

const tooManyOf = (kind: keyof typeof DOCUMENT_LIMITS) => {
  const [limit, what] = DOCUMENT_LIMITS[kind];
  return tooMany(what, limit);
};

/** Parses a document that can be validated: within the limits, and without a fault that the schema's check finds. */
export function parseOrError(text: string, schema: GraphQLSchema): DocumentNode | GraphQLError {
  try {
    const document = parse(text, { maxTokens: LIMITS.tokens });
    return findExcess(document) ?? schema.extensions.findFault?.(document) ?? document;
  } catch (error) {
    // The parser calls itself for each level, and runs out of stack before it runs out of tokens.
    if (error instanceof RangeError) return tooManyOf('valueDepth');
    if (!(error instanceof GraphQLError)) throw error;
    const isTooLong = error.message.includes(`more that ${LIMITS.tokens} tokens`);
    return isTooLong ? tooMany('tokens in the document', LIMITS.tokens) : error;
  }
}

/** Gives the error of a text that must not be validated. Of a text that is no GraphQL, the server says so. */
export function findTextExcess(text: string, schema: GraphQLSchema): GraphQLError | undefined {
  const document = parseOrError(text, schema);
  return document instanceof GraphQLError && 'http' in document.extensions ? document : undefined;
}

/** Says in which way a document holds too much. It stops at the first excess. */
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
