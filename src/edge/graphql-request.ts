import type { HTTPGraphQLRequest } from '@apollo/server';
import { HeaderMap } from '@apollo/server';
import type { FastifyRequest } from 'fastify';

import { type DocumentLimits, findExcess } from '../graph/limits/document.ts';
import type { JsonLimits } from './json-limits.ts';
import { RequestError } from './request-error.ts';
import { parseJsonText } from './strict-json.ts';

/** What is looked at before a request is handed to the graph. */
export interface GraphqlRequestLimits {
  readonly json: JsonLimits;
  readonly operation: DocumentLimits & { readonly calls: number };
}

/**
 * Makes of an HTTP request what the GraphQL server takes.
 *
 * @throws {RequestError} 400 for a query that is no text, or that holds more than the limits allow: nothing of it is
 *   parsed then.
 */
export function toGraphqlRequest(request: FastifyRequest, limits: GraphqlRequestLimits): HTTPGraphQLRequest {
  const { search, searchParams } = new URL(request.url, 'http://gateway');
  const body = request.body ?? {};
  if (request.method === 'GET') {
    checkQuery(searchParams.get('query'), limits);
    // The server parses them again, and without limits.
    for (const json of [searchParams.get('variables'), searchParams.get('extensions')]) {
      if (json) parseJsonText(json, limits.json);
    }
  } else {
    checkQuery((body as { readonly query?: unknown }).query, limits);
  }
  return { method: request.method, headers: toHeaderMap(request), search, body };
}

function checkQuery(query: unknown, limits: GraphqlRequestLimits): void {
  // The server says itself that there is none.
  if (query === undefined || query === null) return;
  if (typeof query !== 'string') throw new RequestError(400, '`query` must be a string: the document’s text.');
  const excess = findExcess(query, limits.operation);
  if (excess !== undefined) throw new RequestError(400, excess);
}

function toHeaderMap({ headers }: FastifyRequest): HeaderMap {
  const map = new HeaderMap();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) map.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return map;
}
