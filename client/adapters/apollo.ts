/** `caseway/client/apollo`: links and cache policies for Apollo Client 4. */
import type { TypePolicies } from '@apollo/client';
import { ServerError } from '@apollo/client/errors';
import { ApolloLink } from '@apollo/client/link';
import { Observable, relayStylePagination } from '@apollo/client/utilities';
import type { DocumentNode } from 'graphql';

import { errorsOf, isRetryable } from '../errors.ts';
import { createKey, type IdempotencyKey } from '../idempotency.ts';
import { backoffMs, createWaits, type RetryOptions } from '../retry.ts';
import { addKey, declaresKey, isMutation, kindOf, trustedIdOf } from './document.ts';

/** The members of an operation's context that the links read. */
export interface CasewayContext {
  /** The key of the form that the mutation saves. Otherwise each mutation has a new key. */
  readonly idempotency?: IdempotencyKey;
  /** Called when a lost subscription is opened again. */
  readonly onReconnecting?: () => void;
}

type Forward = ApolloLink.ForwardFunction;
type Result = ApolloLink.Result;

/** The receiver of an operation's results. */
interface Observer {
  next(result: Result): void;
  error(error: unknown): void;
  complete(): void;
}

/**
 * Creates a link that adds an idempotency key to mutations with the variable `$idempotencyKey`, and
 * to mutations with a key in their context. Place it before the link of `createRetryLink`.
 *
 * @example
 * await client.mutate({ mutation, variables, context: { idempotency } });
 */
export function createIdempotencyLink(): ApolloLink {
  return new ApolloLink((operation, forward) => {
    const { query, variables } = operation;
    const { idempotency } = operation.getContext() as CasewayContext;
    const isKeyed = isMutation(query) && (idempotency !== undefined || declaresKey(query));
    if (!isKeyed) return forward(operation);

    operation.variables = addKey(query, variables, idempotency?.keyOf(variables) ?? createKey());
    return new Observable<Result>((observer) =>
      forward(operation).subscribe({
        next(result) {
          idempotency?.settle(hasErrors(result) ? result : undefined);
          observer.next(result);
        },
        error(error) {
          idempotency?.settle(error);
          observer.error(error);
        },
        complete: () => observer.complete(),
      }),
    );
  });
}

/**
 * Creates a link that repeats reads and mutations with an idempotency key, if the gateway permits
 * it and the caller has not aborted `fetchOptions.signal`. It opens lost subscriptions again, unless
 * they are refused.
 */
export function createRetryLink(options: RetryOptions = {}): ApolloLink {
  return new ApolloLink(
    (operation, forward) =>
      new Observable<Result>((observer) => {
        if (operation.operationType === 'subscription')
          return keepOpen(operation, forward, observer);
        return repeat(operation, forward, observer, options);
      }),
  );
}

/** Sends a query or a mutation until its result may be shown. Returns a function that stops. */
function repeat(
  operation: ApolloLink.Operation,
  forward: Forward,
  observer: Observer,
  options: RetryOptions,
): () => void {
  const waits = createWaits(kindOf(operation.query, operation.variables), options);
  let subscription: { unsubscribe(): void } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  // HttpLink does not check whether the caller's signal was aborted before the request.
  const isEnded = () => operation.getContext()['fetchOptions']?.signal?.aborted === true;

  function send(): void {
    let isRepeated = false;
    const repeatOr = (giveUp: () => void, error: unknown) => {
      const waitMs = waits.next(error);
      if (waitMs === undefined || isEnded()) return giveUp();
      isRepeated = true;
      timer = setTimeout(() => (waits.isInTime() && !isEnded() ? send() : giveUp()), waitMs);
    };
    subscription = forward(operation).subscribe({
      next(result) {
        const show = () => {
          observer.next(result);
          if (isRepeated) observer.complete();
        };
        if (hasErrors(result)) repeatOr(show, result);
        else show();
      },
      error: (error) => repeatOr(() => observer.error(error), error),
      complete() {
        if (!isRepeated) observer.complete();
      },
    });
  }

  send();
  return () => {
    clearTimeout(timer);
    subscription?.unsubscribe();
  };
}

/** Opens a subscription again while its stream is lost. Returns a function that closes it. */
function keepOpen(
  operation: ApolloLink.Operation,
  forward: Forward,
  observer: Observer,
): () => void {
  let subscription: { unsubscribe(): void } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let attempts = 0;

  function open(): void {
    subscription = forward(operation).subscribe({
      next(result) {
        attempts = 0;
        observer.next(result);
      },
      error(error) {
        if (isRefused(error)) return observer.error(error);
        attempts += 1;
        (operation.getContext() as CasewayContext).onReconnecting?.();
        timer = setTimeout(open, backoffMs(attempts));
      },
      complete: () => observer.complete(),
    });
  }

  open();
  return () => {
    clearTimeout(timer);
    subscription?.unsubscribe();
  };
}

/**
 * Returns whether the gateway refused a subscription. Otherwise its stream was lost, for which
 * Apollo Client has an error of its own.
 */
function isRefused(error: unknown): boolean {
  const hasResponse = errorsOf(error).length > 0 || ServerError.is(error);
  return hasResponse && !isRetryable(error, 'read');
}

/**
 * Creates a link that sends the SHA-256 of a trusted document instead of its text. Place it right
 * before `HttpLink`. The client preset writes the hash into documents with
 * `persistedDocuments: { hashAlgorithm: 'sha256' }`.
 *
 * @param idOf returns the id of another generator's document, such as from a manifest.
 */
export function createTrustedDocumentsLink(
  idOf: (document: DocumentNode, operationName: string | undefined) => string = trustedIdOf,
): ApolloLink {
  return new ApolloLink((operation, forward) => {
    const sha256Hash = idOf(operation.query, operation.operationName);
    operation.extensions = {
      ...operation.extensions,
      persistedQuery: { version: 1, sha256Hash },
    };
    operation.setContext(({ http }) => ({
      http: { ...http, includeQuery: false, includeExtensions: true },
    }));
    return forward(operation);
  });
}

/** The types that implement an interface, as `npm run -s schema -- --format possible-types` prints. */
export type PossibleTypes = Readonly<Record<string, readonly string[]>>;

/**
 * Returns the policies of the gateway's types: the pages of a list are joined, and each filter and
 * order is a list of its own. Other objects are cached by `id`.
 *
 * @param lists the fields of lists with a chosen plural, besides the plurals of the forms.
 * @example
 * new InMemoryCache({ possibleTypes, typePolicies: typePolicies(possibleTypes) });
 */
export function typePolicies(
  possibleTypes: PossibleTypes,
  lists: readonly string[] = [],
): TypePolicies {
  const forms = possibleTypes['Instance'] ?? [];
  const names = ['forms', 'instances', ...forms.map(pluralOf), ...lists];
  const fields = Object.fromEntries(names.map((name) => [name, relayStylePagination(listKeyOf)]));
  return {
    Query: { fields },
    Form: { fields },
    Instance: { fields: { ...fields, can: { merge: true } } },
    Case: { keyFields: ['caseId'] },
    Rule: { keyFields: ['component', 'version'] },
  };
}

/** Returns the arguments that make a list another list: all except `first` and `after`. */
function listKeyOf(args: Readonly<Record<string, unknown>> | null): string[] | false {
  const names = Object.keys(args ?? {}).filter((name) => name !== 'first' && name !== 'after');
  return names.length > 0 && names.sort();
}

/** Returns the list field of a form's type, as the gateway names it. */
function pluralOf(type: string): string {
  const word = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
  if (/sis$/.test(word)) return `${word.slice(0, -2)}es`;
  if (/[^su]s$/.test(word)) return `${word}Instances`;
  if (/[^aeiou\d_]y$/i.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/i.test(word) ? `${word}es` : `${word}s`;
}

const hasErrors = (result: Result): boolean =>
  'errors' in result && result.errors !== undefined && result.errors.length > 0;
