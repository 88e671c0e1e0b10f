/** `caseway/client/relay`: the functions of Relay's network layer. */
import {
  type CacheConfig,
  type FetchFunction,
  type GraphQLResponse,
  Observable,
  type RequestParameters,
  type SubscribeFunction,
} from 'relay-runtime';

import { type ConnectionOptions, createConnection } from '../connection.ts';
import type { RequestKind } from '../errors.ts';
import { RequestError } from '../response.ts';
import { type RetryOptions, retry } from '../retry.ts';

/** The members of `cacheConfig.metadata` that the network layer reads. */
export interface CasewayMetadata {
  /** Whether the mutation has one field, whose input has an `idempotencyKey`. */
  readonly isKeyed?: boolean;
  /** Called with each result of a subscription, also with results that have no data. */
  readonly onResult?: (response: unknown) => void;
  /** Called when a lost subscription is opened again. */
  readonly onReconnecting?: () => void;
}

/**
 * Creates the network layer's functions for a gateway. Queries are repeated if the gateway permits
 * it, and so are mutations with `metadata: { isKeyed: true }`. Persisted documents are sent by
 * their ids. A failed request throws the gateway's errors as `RequestError`.
 *
 * @example
 * const { fetch, subscribe } = createNetwork({ url: '/graphql' });
 * new Environment({ network: Network.create(fetch, subscribe) });
 */
export function createNetwork(options: ConnectionOptions & RetryOptions): {
  readonly fetch: FetchFunction;
  readonly subscribe: SubscribeFunction;
} {
  const { request, subscribe } = createConnection(options);
  return {
    async fetch(parameters, variables, cacheConfig) {
      const kind = kindOf(parameters, cacheConfig);
      const send = () => request(toDocument(parameters), variables);
      try {
        return { data: await retry(kind, send, options) } as GraphQLResponse;
      } catch (error) {
        // Relay shows the fields without an error. It takes a response without data for a success.
        if (!(error instanceof RequestError) || !hasData(error.data)) throw error;
        return { data: error.data, errors: error.errors } as GraphQLResponse;
      }
    },
    subscribe(parameters, variables, cacheConfig) {
      const { onResult, onReconnecting } = metadataOf(cacheConfig);
      return Observable.create<GraphQLResponse>((sink) =>
        subscribe(toDocument(parameters), variables, {
          next(response) {
            onResult?.(response);
            // Relay takes a result without data for the end.
            if (response.data) sink.next(response as GraphQLResponse);
          },
          error: (error) => sink.error(error as Error),
          complete: () => sink.complete(),
          reconnecting: () => onReconnecting?.(),
        }),
      );
    },
  };
}

/** Returns whether a field at the root has data. */
const hasData = (data: unknown): boolean =>
  Object.values(data ?? {}).some((value) => value !== null);

const metadataOf = ({ metadata }: CacheConfig): CasewayMetadata => metadata ?? {};

function kindOf({ operationKind }: RequestParameters, cacheConfig: CacheConfig): RequestKind {
  if (operationKind === 'query') return 'read';
  return metadataOf(cacheConfig).isKeyed ? 'keyed-write' : 'write';
}

/** Returns the text of a document, or its id if the compiler has persisted it. */
function toDocument({ id, text }: RequestParameters): string | { readonly documentId: string } {
  return text ?? { documentId: id ?? '' };
}
