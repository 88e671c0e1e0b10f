import type { HTTPGraphQLRequest } from '@apollo/server';
import { HeaderMap } from '@apollo/server';
import type { FastifyRequest } from 'fastify';

import type { DocumentParameters, FoundDocument } from '../graphql/persisted-documents.ts';
import type { JsonLimits } from './json-limits.ts';
import { RequestError } from './request-error.ts';
import { parseJsonText } from './strict-json.ts';

/** What an HTTP request asks of the GraphQL server, by POST or by GET. */
export interface GraphqlAsk extends DocumentParameters {
  /** What it asks to run besides the document; `undefined` where only the server knows what to make of it. */
  readonly operation: UsualOperation | undefined;
  /** What the GraphQL server takes, once it is told the document's text. */
  toRequest(found: FoundDocument): HTTPGraphQLRequest;
}

/** Which operation of a document, and its variables, as nearly every request says them. */
export interface UsualOperation {
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

const PARAMETERS = ['query', 'documentId', 'operationName', 'variables', 'extensions'] as const;

/**
 * Reads what an HTTP request asks. What is none of it, the GraphQL server says itself.
 *
 * @throws {RequestError} 400 for parameters that a GET has twice, and for JSON in them that is none or holds too much.
 */
export function readAsk(request: FastifyRequest, limits: JsonLimits): GraphqlAsk {
  return request.method === 'GET' ? readGet(request, limits) : readPost(request);
}

function readPost(request: FastifyRequest): GraphqlAsk {
  const { method, body } = request;
  const asked = isObject(body) ? body : {};
  const { query, documentId, extensions } = asked;
  return {
    query,
    documentId,
    extensions,
    operation: isObject(body) ? toUsual(asked) : undefined,
    toRequest({ text }) {
      const isNamed = text !== undefined && (text !== query || isPersisted(extensions));
      const { documentId: _, ...rest } = asked;
      const kept = isPersisted(extensions) ? { extensions: withoutPersisted(extensions) } : {};
      const sent = isNamed ? { ...rest, query: text, ...kept } : (body ?? {});
      return { method, headers: toHeaderMap(request), search: '', body: sent };
    },
  };
}

function readGet(request: FastifyRequest, limits: JsonLimits): GraphqlAsk {
  const { searchParams } = new URL(request.url, 'http://gateway');
  for (const name of PARAMETERS) {
    if (searchParams.getAll(name).length > 1) throw new RequestError(400, `The parameter ${name} is there twice.`);
  }
  const query = searchParams.get('query');
  // The server parses them again, and without limits.
  const [extensions, variables] = ['extensions', 'variables'].map((name) => {
    const json = searchParams.get(name);
    return json ? parseJsonText(json, limits) : json;
  });
  const operationName = searchParams.get('operationName');
  const isPlain = request.headers['content-type'] === undefined;
  return {
    query,
    documentId: searchParams.get('documentId'),
    extensions,
    operation: isPlain ? toUsual({ operationName, variables, extensions }) : undefined,
    toRequest({ text }) {
      if (text !== undefined) searchParams.set('query', text);
      if (isPersisted(extensions)) searchParams.set('extensions', JSON.stringify(withoutPersisted(extensions)));
      searchParams.delete('documentId');
      return { method: 'GET', headers: toHeaderMap(request), search: `?${searchParams}`, body: {} };
    },
  };
}

/** Gives what a request says where each part of it is there as it should be, or not at all. */
function toUsual({
  operationName,
  variables,
  extensions,
}: Readonly<Record<string, unknown>>): UsualOperation | undefined {
  if (!isAbsentOr(isObject, variables) || !isAbsentOr(isObject, extensions)) return undefined;
  if (!isAbsentOr(isName, operationName)) return undefined;
  return { operationName: operationName ?? undefined, variables: variables ?? {} };
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

const isAbsentOr = <T>(is: (value: unknown) => value is T, value: unknown): value is T | null | undefined =>
  value === undefined || value === null || is(value);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPersisted = (extensions: unknown): extensions is Readonly<Record<string, unknown>> =>
  isObject(extensions) && 'persistedQuery' in extensions;

/** Extensions without the document's hash, which the server would look up itself. */
function withoutPersisted(extensions: Readonly<Record<string, unknown>>): object {
  const { persistedQuery: _, ...rest } = extensions;
  return rest;
}

function toHeaderMap({ headers }: FastifyRequest): HeaderMap {
  const map = new HeaderMap();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) map.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return map;
}
