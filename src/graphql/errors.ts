import { GraphQLError, type GraphQLFormattedError, visit } from 'graphql';
import {
  ConflictError,
  FilterTooWideError,
  InputError,
  type Limit,
  type LimitOf,
  UpstreamError,
  type UpstreamFailure,
} from '../core/errors.ts';
import type { RequestIds } from '../core/observers.ts';
import { CallLimitError } from '../core/request-state.ts';
import { findOperation } from '../upstream/operations.ts';
import { ArgumentError } from './admission/arguments.ts';
import type { OperationContext } from './context.ts';
import { MAX_VIOLATIONS, type Violation } from './violations.ts';

/** Marks an error as a fault of the document itself. */
export const DOCUMENT_FAULT = 'documentFault';

/** Creates the error that refuses a request before execution. Clients get `message` and `named`. */
export const requestError = (
  status: number,
  message: string,
  code = 'BAD_USER_INPUT',
  named: Readonly<Record<string, unknown>> = {},
) => new GraphQLError(message, { extensions: { code, http: { status }, ...named } });

interface ErrorTemplate {
  readonly code: string;
  readonly message: string;
  /** Whether a retry of the same request is safe and may succeed. */
  readonly retryable: boolean;
}

const template = (code: string, retryable: boolean, message: string): ErrorTemplate => ({
  code,
  message,
  retryable,
});

/** The messages and codes for clients, by failure. */
const ERROR_TEMPLATES = {
  cancelled: template('CANCELLED', true, 'The request was cancelled.'),
  failed: template('UPSTREAM_ERROR', true, 'The platform failed to process this request.'),
  forbidden: template('FORBIDDEN', false, 'The platform does not permit this operation.'),
  malformed: template('UPSTREAM_INVALID_RESPONSE', false, 'The platform’s response is unreadable.'),
  'not-found': template('NOT_FOUND', false, 'The platform has no such resource.'),
  'outcome-unknown': template(
    'OUTCOME_UNKNOWN',
    false,
    'The change was sent, but its response was lost or does not confirm it. Read the record before you repeat the change.',
  ),
  overloaded: template(
    'OVERLOADED',
    true,
    'Too many calls to the platform are queued, or too much of its responses is in memory; try again later.',
  ),
  'rate-limited': template('RATE_LIMITED', true, 'A limit is exceeded; try again later.'),
  rejected: template('BAD_USER_INPUT', false, 'The platform rejected this request.'),
  'signed-out': template(
    'UNAUTHENTICATED',
    false,
    'Sign in first, or again: the request has no session or token, or it has ended. Send it in the header Authorization, or in the cookie that signIn set.',
  ),
  stopped: template(
    'SHUTTING_DOWN',
    true,
    'The gateway is shutting down; retry, and another replica will respond.',
  ),
  timeout: template('UPSTREAM_TIMEOUT', true, 'The platform did not answer in time.'),
  'too-large': template(
    'ANSWER_TOO_LARGE',
    false,
    'The platform’s responses to this operation are too large together; ask for less at a time.',
  ),
  unauthenticated: template(
    'UPSTREAM_UNAUTHENTICATED',
    false,
    'The platform rejects the gateway’s credentials.',
  ),
  unavailable: template('UPSTREAM_UNAVAILABLE', true, 'The platform cannot be reached.'),
  unrecorded: template('UPSTREAM_UNAVAILABLE', true, 'The change was not sent.'),
} as const satisfies Record<UpstreamFailure, ErrorTemplate>;

/** The messages for an exceeded limit, by its owner. */
const LIMIT_MESSAGES = {
  platform: 'The platform’s request limit is exceeded',
  gateway: 'The gateway has used up its budget of calls to the platform',
  role: 'Your role has used up its calls to the platform',
  caller: 'You have used up the share of one caller in requests or calls',
  signIns: 'Too many sign-ins were refused: check user name and password',
  tools: 'The tools of agents have used up their calls to the platform',
  live: 'Live queries have used up their calls to the platform',
} as const satisfies Record<LimitOf, string>;

/** Returns the message for an exceeded limit: its owner and its period. */
export const limitMessage = ({ of, per }: Limit): string =>
  `${LIMIT_MESSAGES[of]}${per === undefined ? '' : ` within ${per === 'hour' ? 'an hour' : 'a minute'}`}; try again later.`;

/** The platform refused a user name and password. */
const LOGIN_REFUSED = template(
  'UNAUTHENTICATED',
  false,
  'The platform rejects this user name and password.',
);

/** The call was not sent, because the caller's role does not permit it. */
const NOT_ALLOWED = template('FORBIDDEN', false, 'Your role does not allow this.');

/** The call was not sent, because an adapter failed. */
const NOT_SENT = template(
  'UPSTREAM_INVALID_RESPONSE',
  false,
  'The call to the platform was not sent.',
);

const RULE_UNAVAILABLE = template(
  'RULE_UNAVAILABLE',
  false,
  'The platform did not accept the rule: it is unknown, not published, not published for the REST API, or its parameters are wrong.',
);

/** The interface's rule operations. Status 400 means that the rule cannot be used. */
const RULE_OPERATIONS: readonly string[] = ['getParameters', 'execute'];

/** Apollo Server's codes for an invalid document. */
const DOCUMENT_FAULTS: readonly unknown[] = [
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
];
/**
 * Returns whether the document itself is invalid. GraphQL over HTTP uses status 200 for this with
 * legacy clients.
 */
export const isDocumentFault = ({
  extensions: { code, [DOCUMENT_FAULT]: mark },
}: GraphQLError): boolean => mark === true || DOCUMENT_FAULTS.includes(code);

/** The codes for an invalid request. Clients get one code for all of them. */
const REQUEST_FAULTS = [...DOCUMENT_FAULTS, 'BAD_REQUEST', 'BAD_USER_INPUT'];

/**
 * Formats an error for clients. This is the only place that turns failures into GraphQL errors.
 * Known failures get their code; unknown ones lose their message.
 *
 * @param isIntrospectable whether clients get GraphQL's messages with values and suggestions.
 */
export function formatError(
  formatted: GraphQLFormattedError,
  thrown: unknown,
  isIntrospectable: boolean,
): GraphQLFormattedError {
  const error = causeOf(thrown);
  const described = describeFailure(error);
  if (described) return { ...formatted, ...described };

  const given = formatted.extensions?.['code'];
  if (error instanceof InputError || REQUEST_FAULTS.includes(given)) {
    const words = isIntrospectable ? formatted.message : withoutValues(formatted.message, thrown);
    const message = shorten(words + hintOf(error));
    // The invalid values with reasons. A form shows each one beside its field.
    const violations = formatted.extensions?.['violations'];
    const extensions = {
      code: 'BAD_USER_INPUT',
      retryable: false,
      ...(violations !== undefined && { violations }),
    };
    return { ...formatted, message, extensions };
  }
  if (given === undefined || given === 'INTERNAL_SERVER_ERROR') {
    const message = 'Internal server error';
    return {
      ...formatted,
      message,
      extensions: { code: 'INTERNAL_SERVER_ERROR', retryable: false },
    };
  }
  const { retryable, field } = formatted.extensions ?? {};
  // The most expensive field, by response names.
  const named = given === 'COST_EXCEEDED' && typeof field === 'string' && { field };
  return { ...formatted, extensions: { code: given, retryable: retryable === true, ...named } };
}

/** Returns the error that a resolver threw, without its location. */
const causeOf = (thrown: unknown): unknown =>
  (thrown instanceof GraphQLError && thrown.originalError) || thrown;

/** Returns the extensions of a known failure, and its message if it has one for clients. */
function describeFailure(error: unknown): Partial<GraphQLFormattedError> | undefined {
  if (error instanceof UpstreamError) return describeUpstreamError(error);
  if (error instanceof ConflictError) return describeConflict(error);
  if (error instanceof CallLimitError) {
    return { extensions: { code: 'COST_EXCEEDED', retryable: false } };
  }
  if (error instanceof FilterTooWideError) {
    const { found, limit } = error;
    return { extensions: { code: 'FILTER_TOO_WIDE', retryable: false, found, limit } };
  }
  return undefined;
}

function describeUpstreamError(error: UpstreamError) {
  const { failure, operation, status, errorCode, reason, advice, clientCode, limit, retryAfterMs } =
    error;
  const { code, message, retryable } = templateOf(error);
  const words = [limit ? limitMessage(limit) : message, advice].filter(Boolean).join(' ');
  return {
    // The platform's message of a 400 is meant for the user of the form.
    message: failure === 'rejected' && reason !== undefined ? reason : words,
    extensions: {
      code: clientCode ?? code,
      // A change that failed inside the platform may still have happened.
      retryable: retryable && !(failure === 'failed' && isWrite(operation)),
      upstream: { operation, status, errorCode },
      ...(limit && { limitOf: limit.of }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...violationsOf(error),
    },
  };
}

/** The fields that differ are violations of what the client expects. */
function describeConflict({ message, fields, current }: ConflictError) {
  const violations: Violation[] = fields.slice(0, MAX_VIOLATIONS).map((field) => ({
    path: ['input', 'expected', field],
    constraint: 'expected',
    message: 'has another value now',
  }));
  const extensions = {
    code: 'CONFLICT',
    retryable: false,
    violations,
    ...(current && { current }),
  };
  return { message, extensions };
}

/** The reason why the types of forms are missing. */
export interface MissingTypes {
  /** The failure to read their definitions. */
  readonly error: unknown;
  /** Milliseconds until the next attempt to read them. */
  readonly retryAfterMs: number;
}

/** Returns the error of a document that may need the missing types of forms. */
export function missingTypesError({ error, retryAfterMs }: MissingTypes): GraphQLFormattedError {
  const { message, extensions } =
    error instanceof UpstreamError ? describeUpstreamError(error) : {};
  return {
    message: `The form definitions have not been read yet, so fields of forms are unknown; try again later. ${message ?? ''}`,
    extensions: {
      ...extensions,
      code: ERROR_TEMPLATES.unavailable.code,
      retryable: true,
      retryAfterMs,
    },
  };
}

/** Returns the fields that the platform refused as violations of the mutation's input. */
function violationsOf({ failure, operation, fields }: UpstreamError): {
  readonly violations?: readonly Violation[];
} {
  if (failure !== 'rejected' || fields.length === 0 || !isWrite(operation)) return {};
  const constraint = 'platform';
  return {
    violations: fields.map(({ field, message }) => ({
      path: ['input', 'values', field],
      constraint,
      message,
    })),
  };
}

function templateOf({ failure, operation, status, isUnsent }: UpstreamError): ErrorTemplate {
  if (failure === 'malformed' && isUnsent) return NOT_SENT;
  if (status === 400 && RULE_OPERATIONS.includes(operation)) return RULE_UNAVAILABLE;
  if (status === undefined && failure === 'forbidden') return NOT_ALLOWED;
  return failure === 'signed-out' && status !== undefined
    ? LOGIN_REFUSED
    : ERROR_TEMPLATES[failure];
}

const isWrite = (operation: string): boolean => findOperation(operation)?.is === 'change';

/** The changes of an operation, as needed for its errors. */
type Written = Pick<OperationContext, 'changes' | 'unkeyedChanges' | 'failedAfterChange'>;

/**
 * Formats an error of execution for clients, with the request's ids. After a change without a key,
 * no error is retryable. An error inside a mutation's payload gets `written: true`, because the
 * change was made.
 */
export function toClientError(
  error: GraphQLError,
  ids: RequestIds,
  written?: Written,
): GraphQLFormattedError {
  const code = error.extensions['code'] ?? 'INTERNAL_SERVER_ERROR';
  const given = { ...error.toJSON(), extensions: { ...error.extensions, code } };
  // Variables were already checked. Messages of other errors may contain data, so they must not
  // quote values.
  const formatted = formatError(given, error, false);
  if (!written?.changes) return withIds(formatted, ids);
  const { path, originalError } = error;
  const isOfOwn = originalError !== undefined && written.failedAfterChange.has(originalError);
  const isOfChange = isOfOwn || path === undefined || path.length > 1;
  const extensions = {
    ...formatted.extensions,
    ...(written.unkeyedChanges > 0 && { retryable: false }),
    ...(isOfChange && { written: true }),
  };
  return withIds({ ...formatted, extensions }, ids);
}

/** Adds the request's ids to an error, so that users can report it. */
export const withIds = (
  error: GraphQLFormattedError,
  ids: RequestIds | undefined,
): GraphQLFormattedError => ({
  ...error,
  extensions: { ...error.extensions, ...ids },
});

/** Returns whether an error is a bug in the gateway. */
export function isUnexpected({ originalError, extensions }: GraphQLError): boolean {
  const isKnown = [UpstreamError, InputError, CallLimitError, GraphQLError].some(
    (known) => originalError instanceof known,
  );
  // An extension's errors for clients have a code.
  return originalError !== undefined && !isKnown && extensions['code'] === undefined;
}

/** Names the variables in an argument that does not fit. The place in the document has no values. */
function hintOf(error: unknown): string {
  if (!(error instanceof ArgumentError)) return '';
  const names: string[] = [];
  visit(error.node, { Variable: ({ name }) => void names.push(`$${name.value}`) });
  return names.length > 0 ? ` Check ${names.join(', ')}.` : '';
}

/** A message can quote a value or name of any length. */
const MAX_MESSAGE_LENGTH = 2_000;

const shorten = (message: string): string =>
  message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message;

/** Returns why GraphQL refused a request, without the values in it. */
export function messageWithoutValues(error: GraphQLError): string {
  const violations = error.extensions['violations'] as readonly Violation[] | undefined;
  if (violations === undefined) return shorten(withoutValues(error.message, error));
  return violations.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
}

/**
 * Returns an error's message without the text that graphql-js quotes. The message for an invalid
 * document contains the kind and name of the node. Line and column are in `locations`.
 */
function withoutValues(message: string, error: unknown): string {
  if (!(error instanceof GraphQLError)) return message;
  const { code } = error.extensions;
  if (code === 'GRAPHQL_PARSE_FAILED') return 'The document is not valid GraphQL.';
  const [node] = error.nodes ?? [];
  if (code !== 'GRAPHQL_VALIDATION_FAILED' || node === undefined) return message;
  const name = 'name' in node && node.name !== undefined ? ` "${node.name.value}"` : '';
  return `${node.kind}${name} is not valid here.`;
}
