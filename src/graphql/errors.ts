import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import {
  InputError,
  type Limit,
  type LimitOf,
  UpstreamError,
  type UpstreamFailure,
} from '../core/errors.ts';
import type { RequestIds } from '../core/observers.ts';
import { CallLimitError } from '../core/work.ts';
import { findOperation } from '../upstream/operations.ts';
import type { OperationContext } from './context.ts';
import type { Violation } from './violations.ts';

/** Marks an error as a fault of the document itself. */
export const DOCUMENT_FAULT = 'documentFault';

/** The error that refuses a request before its operation runs. Its message, and the field it names, are meant for the client. */
export const requestError = (
  status: number,
  message: string,
  code = 'BAD_USER_INPUT',
  named: Readonly<Record<string, unknown>> = {},
) => new GraphQLError(message, { extensions: { code, http: { status }, ...named } });

interface ErrorTemplate {
  readonly code: string;
  readonly message: string;
  /** Whether the same request may succeed later, and does no harm when sent again. */
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

/** Whose limit was met, in words. */
const LIMIT_MESSAGES = {
  platform: 'The platform’s request limit is exceeded',
  gateway: 'The gateway has used up its budget of calls to the platform',
  role: 'Your role has used up its calls to the platform',
  caller: 'You have used up the share of one caller in requests or calls',
  signIns: 'Too many sign-ins were refused: check user name and password',
  tools: 'The tools of agents have used up their calls to the platform',
  live: 'Live queries have used up their calls to the platform',
} as const satisfies Record<LimitOf, string>;

/** Says whose limit was met, within which period, and that it passes. */
export const limitMessage = ({ of, per }: Limit): string =>
  `${LIMIT_MESSAGES[of]}${per === undefined ? '' : ` within ${per === 'hour' ? 'an hour' : 'a minute'}`}; try again later.`;

/** The platform refused a user name and a password. */
const LOGIN_REFUSED = template(
  'UNAUTHENTICATED',
  false,
  'The platform rejects this user name and password.',
);

/** Nothing was sent: the gateway itself allows its callers less than the platform does. */
const NOT_ALLOWED = template('FORBIDDEN', false, 'Your role does not allow this.');

/** Nothing was sent, so there is no response: what is wrong is an adapter. */
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

/** The interface's rule operations: a 400 on these means that the rule cannot be used. */
const RULE_OPERATIONS: readonly string[] = ['getParameters', 'execute'];

/** Codes of Apollo Server that say: the document is wrong. */
const DOCUMENT_FAULTS: readonly unknown[] = [
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
];
/** Whether an error is a fault of the document itself, which GraphQL over HTTP answers by 200 for legacy clients. */
export const isDocumentFault = ({
  extensions: { code, [DOCUMENT_FAULT]: mark },
}: GraphQLError): boolean => mark === true || DOCUMENT_FAULTS.includes(code);

/** Codes that say: the request is wrong. One code for all of them is what clients handle. */
const REQUEST_FAULTS = [...DOCUMENT_FAULTS, 'BAD_REQUEST', 'BAD_USER_INPUT'];

/**
 * Gives an error as clients read it. The one place where failures become GraphQL: known ones get their code, unknown ones
 * lose their message.
 *
 * @param isIntrospectable whether GraphQL's own messages reach clients with the values and hints in them.
 */
export function formatError(
  formatted: GraphQLFormattedError,
  thrown: unknown,
  isIntrospectable: boolean,
): GraphQLFormattedError {
  const error = causeOf(thrown);
  if (error instanceof UpstreamError) return { ...formatted, ...describeUpstreamError(error) };

  if (error instanceof CallLimitError) {
    return { ...formatted, extensions: { code: 'COST_EXCEEDED', retryable: false } };
  }

  const given = formatted.extensions?.['code'];
  if (error instanceof InputError || REQUEST_FAULTS.includes(given)) {
    const message = shorten(
      isIntrospectable ? formatted.message : withoutValues(formatted.message, thrown),
    );
    // Which values cannot be taken, and why, for a form that shows each beside its field.
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
  // Which field costs too much, by the names of the request.
  const named = given === 'COST_EXCEEDED' && typeof field === 'string' && { field };
  return { ...formatted, extensions: { code: given, retryable: retryable === true, ...named } };
}

/** What a resolver threw, without its place in the answer. */
const causeOf = (thrown: unknown): unknown =>
  (thrown instanceof GraphQLError && thrown.originalError) || thrown;

function describeUpstreamError(error: UpstreamError) {
  const { failure, operation, status, errorCode, reason, advice, clientCode, limit, retryAfterMs } =
    error;
  const { code, message, retryable } = templateOf(error);
  const words = [limit ? limitMessage(limit) : message, advice].filter(Boolean).join(' ');
  return {
    // What a platform says to a 400 is written for the person who filled in the form.
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

/** Why a schema lacks the types of forms. */
export interface MissingTypes {
  /** The failure of reading their definitions. */
  readonly error: unknown;
  /** When they are read again, in milliseconds from now. */
  readonly retryAfterMs: number;
}

/** Gives the error of a document that may need the types of forms, while these are missing. */
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

/** The fields that the platform refused, as violations of what the mutation was given. */
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

/** What an operation has changed, as far as its errors tell of it. */
type Written = Pick<OperationContext, 'changes' | 'unkeyedChanges' | 'failedAfterChange'>;

/**
 * Gives an error of a run as the client reads it, with the request's ids. Once a change was made without a key, nothing is
 * retryable; an error below the payload of a change stands beside one that was made.
 */
export function toClientError(
  error: GraphQLError,
  ids: RequestIds,
  written?: Written,
): GraphQLFormattedError {
  const code = error.extensions['code'] ?? 'INTERNAL_SERVER_ERROR';
  const given = { ...error.toJSON(), extensions: { ...error.extensions, code } };
  // While an operation runs, its values have been checked: what is still wrong is not quoted.
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

/** Puts the request's ids beside an error, so that a person can name it. */
export const withIds = (
  error: GraphQLFormattedError,
  ids: RequestIds | undefined,
): GraphQLFormattedError => ({
  ...error,
  extensions: { ...error.extensions, ...ids },
});

/** Whether an error is a bug, so that it should be looked into. */
export function isUnexpected({ originalError, extensions }: GraphQLError): boolean {
  const isKnown = [UpstreamError, InputError, CallLimitError, GraphQLError].some(
    (known) => originalError instanceof known,
  );
  // What an extension words for clients has a code.
  return originalError !== undefined && !isKnown && extensions['code'] === undefined;
}

/** A message may be as long as the value or the name that it quotes. */
const MAX_MESSAGE_LENGTH = 2_000;

const shorten = (message: string): string =>
  message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message;

/** Why GraphQL refuses a request, without the values in it. */
export function messageWithoutValues(error: GraphQLError): string {
  const violations = error.extensions['violations'] as readonly Violation[] | undefined;
  if (violations === undefined) return shorten(withoutValues(error.message, error));
  return violations.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
}

/**
 * Returns the message of an error without the text that graphql-js quotes in it. A fault of a document
 * is described by the kind and the name of the node; its line and column are in `locations`.
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
