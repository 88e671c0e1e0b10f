/** `caseway/client/urql`: exchanges for urql, and keys and resolvers for graphcache. */
import {
  type Exchange,
  type ExecutionResult,
  makeOperation,
  mapExchange,
  type Operation,
  type OperationResult,
  type SubscriptionForwarder,
} from '@urql/core';
import type { DocumentNode } from 'graphql';
import {
  delay,
  filter,
  fromValue,
  makeSubject,
  map,
  merge,
  mergeMap,
  pipe,
  share,
  takeUntil,
} from 'wonka';

import type { Connection } from '../connection.ts';
import { createKey, type IdempotencyKey } from '../idempotency.ts';
import { createWaits, type RetryOptions, type Waits } from '../retry.ts';
import { addKey, declaresKey, kindOf, trustedIdOf } from './document.ts';

/**
 * Creates an exchange that adds an idempotency key to mutations with the variable
 * `$idempotencyKey`, and to mutations with a key in their context. Place it before the exchange of
 * `createRetryExchange`.
 *
 * @example
 * client.mutation(document, variables, { idempotency });
 */
export function createIdempotencyExchange(): Exchange {
  return mapExchange({
    onOperation(operation) {
      const { kind, query, variables } = operation;
      const idempotency = keyOf(operation);
      if (kind !== 'mutation' || (idempotency === undefined && !declaresKey(query)))
        return operation;

      const values = (variables ?? {}) as Variables;
      const key = idempotency?.keyOf(values) ?? createKey();
      const request = { key: operation.key, query, variables: addKey(query, values, key) };
      return makeOperation(kind, request, operation.context);
    },
    onResult({ operation, error }) {
      if (operation.kind === 'mutation') keyOf(operation)?.settle(error);
    },
  });
}

const keyOf = ({ context }: Operation): IdempotencyKey | undefined => context['idempotency'];

/**
 * Creates an exchange that repeats reads and mutations with an idempotency key, if the gateway
 * permits it. Place it right before the exchanges that send.
 */
export function createRetryExchange(options: RetryOptions = {}): Exchange {
  return ({ forward }) =>
    (operations) => {
      const repeats = makeSubject<Repeat>();
      const waited = pipe(
        repeats.source,
        mergeMap((repeat) => {
          const isEnded = pipe(
            operations,
            filter(({ key, kind }) => key === repeat.operation.key && kind !== 'mutation'),
          );
          return pipe(fromValue(repeat), delay(repeat.waitMs), takeUntil(isEnded));
        }),
        share,
      );
      // A device may sleep during the wait.
      const repeated = pipe(
        waited,
        filter(({ waits }) => waits.isInTime()),
        map(({ operation }) => operation),
      );
      const late = pipe(
        waited,
        filter(({ waits }) => !waits.isInTime()),
        map(({ result }) => result),
      );
      const results = pipe(
        merge([operations, repeated]),
        forward,
        filter((result) => {
          const repeat = toRepeat(result, options);
          if (repeat) repeats.next(repeat);
          return repeat === undefined;
        }),
      );
      return merge([results, late]);
    };
}

interface Repeat {
  readonly operation: Operation;
  /** The result of the last attempt. */
  readonly result: OperationResult;
  readonly waits: Waits;
  readonly waitMs: number;
}

/** Returns the next attempt of an operation, or `undefined` if its result is to be shown. */
function toRepeat(result: OperationResult, options: RetryOptions): Repeat | undefined {
  const { operation, error } = result;
  const { kind, query, variables, context } = operation;
  if (error === undefined || kind === 'subscription') return undefined;

  const values = variables as Variables | undefined;
  const waits: Waits = context[WAITS] ?? createWaits(kindOf(query, values), options);
  const waitMs = waits.next(error);
  if (waitMs === undefined) return undefined;
  const next = makeOperation(kind, operation, { ...context, [WAITS]: waits });
  return { operation: next, result, waits, waitMs };
}

/** The member of an operation's context with the attempts so far. */
const WAITS = 'casewayWaits';

type Variables = Readonly<Record<string, unknown>>;

/**
 * Creates an exchange that sends the ids of trusted documents instead of their texts. Place it
 * after the caches, right before the exchanges that send.
 *
 * @param idOf returns the id of another generator's document, such as from a manifest. By default
 *   the hash that the client preset's `persistedDocuments` writes into the document.
 */
export function createTrustedDocumentsExchange(
  idOf: (document: DocumentNode) => string = trustedIdOf,
): Exchange {
  return mapExchange({
    onOperation(operation) {
      if (operation.kind === 'teardown') return operation;
      const { kind, key, variables, context } = operation;
      const documentId = idOf(operation.query as DocumentNode);
      const query = { kind: 'Document', definitions: [], documentId } as unknown as DocumentNode;
      return makeOperation(kind, { key, query, variables }, context);
    },
  });
}

/**
 * Returns the `forwardSubscription` of urql's `subscriptionExchange`. A lost stream is opened again,
 * unless it is refused.
 *
 * @example
 * subscriptionExchange({ forwardSubscription: forwardSubscription(createConnection({ url })) });
 */
export function forwardSubscription({
  subscribe,
}: Pick<Connection, 'subscribe'>): SubscriptionForwarder {
  return ({ query = '', documentId, variables }, { context }) => ({
    subscribe({ next, error, complete }) {
      const unsubscribe = subscribe(documentId ? { documentId } : query, variables, {
        next: (result) => next(result as ExecutionResult),
        error,
        complete,
        reconnecting: () => context['onReconnecting']?.(),
      });
      return { unsubscribe };
    },
  });
}

/** The part of an introspection result that is read. graphcache needs the same. */
export interface Introspection {
  readonly __schema: { readonly types: readonly IntrospectionType[] };
}

interface IntrospectionType {
  readonly kind: string;
  readonly name: string;
  readonly fields?: readonly IntrospectionField[] | null;
}

interface IntrospectionField {
  readonly name: string;
  readonly type: TypeReference;
}

interface TypeReference {
  readonly kind: string;
  readonly name?: string | null;
  readonly ofType?: TypeReference | null;
}

type Key = (data: Readonly<Record<string, unknown>>) => string | null;

/** Returns graphcache's keys of the types without `id`. */
export function keys({ __schema: { types } }: Introspection): Record<string, Key> {
  const withoutId = types.filter(({ kind, name, fields }) => {
    const hasId = fields?.some((field) => field.name === 'id');
    return kind === 'OBJECT' && !hasId && !PAGE_TYPES.test(name);
  });
  const embedded = withoutId.map(({ name }): [string, Key] => [name, () => null]);
  return {
    ...Object.fromEntries(embedded),
    Case: ({ caseId }) => String(caseId),
    Rule: ({ component, version }) => `${component}@${version}`,
  };
}

/** Types that graphcache knows as pages and roots. */
const PAGE_TYPES = /^(Query|Mutation|Subscription|PageInfo|__.*)$|(Connection|Edge)$/;

/**
 * Returns graphcache's resolvers that join the pages of each list.
 *
 * @param pagination `relayPagination()` of `@urql/exchange-graphcache/extras`.
 */
export function resolvers<Resolver>(
  { __schema: { types } }: Introspection,
  pagination: Resolver,
): Record<string, Record<string, Resolver>> {
  const found: Record<string, Record<string, Resolver>> = {};
  for (const { kind, name, fields } of types) {
    if (kind !== 'OBJECT' || name === 'Subscription') continue;
    const lists = fields?.filter(({ type }) => nameOf(type).endsWith('Connection')) ?? [];
    if (lists.length === 0) continue;
    found[name] = Object.fromEntries(lists.map((list) => [list.name, pagination]));
  }
  return found;
}

function nameOf(type: TypeReference): string {
  return type.ofType ? nameOf(type.ofType) : (type.name ?? '');
}
