import { isPromise } from 'node:util/types';
import { z } from 'zod';

import { describeIssues } from '../../config/modules.ts';
import { type Call, type HttpResponse, JSON_TYPE } from '../call.ts';
import { isId } from '../path.ts';
import { RESPONSE_HEADERS } from '../records.ts';
import type { AdapterCall, AdapterResponse, RequestChange, ResponseChange } from './adapter.ts';

/** A fault in an adapter's result. The message does not quote values. */
export class AdapterFault extends Error {
  override readonly name = 'AdapterFault';
}

const REQUEST = z.object({
  path: z.array(z.string()).min(1).optional(),
  query: z.record(z.string(), z.union([z.string(), z.array(z.string())]).optional()).optional(),
  body: z.unknown().optional(),
});

const HEADER_NAMES = RESPONSE_HEADERS.filter((name) => name !== 'authorization');
const NO_304 = 'must not be 304';
const RESPONSE = z.object({
  status: z
    .int()
    .min(200)
    .max(599)
    .refine((status) => status !== 304, NO_304)
    .optional(),
  headers: z.partialRecord(z.enum(HEADER_NAMES), z.string().optional()).optional(),
  body: z.unknown().optional(),
});

/**
 * Returns the path and body to send.
 *
 * @param seen the call that the adapter received.
 * @throws {AdapterFault} for a change that cannot be sent.
 */
export function readRequestChange(change: RequestChange, seen: AdapterCall, call: Call) {
  const { path = seen.path, query = seen.query } = checkChange(change, seen, REQUEST);
  const isSamePath = change.path === undefined || change.path === seen.path;
  const isSameQuery = change.query === undefined || change.query === seen.query;
  return {
    path: isSamePath && isSameQuery ? call.path : toAddress(path, query, seen.path),
    body: bodyText(change, seen, call.body),
  };
}

/**
 * Returns a response with the adapter's changes.
 *
 * @param receivedText the text of the received body.
 * @throws {AdapterFault} for a change that is not a valid response.
 */
export function readResponseChange(
  change: ResponseChange,
  response: AdapterResponse,
  receivedText: string,
): HttpResponse {
  const { status = response.status, headers } = checkChange(change, response, RESPONSE);
  const text = bodyText(change, response, receivedText) ?? '';
  const type = text === receivedText ? response.headers['content-type'] : JSON_TYPE;
  return { status, headers: { ...response.headers, 'content-type': type, ...headers }, text };
}

/**
 * Checks the result of a hook, apart from the body.
 *
 * @param seen the hook's argument. Its read-only members may be returned unchanged.
 */
function checkChange<S extends z.ZodObject>(change: object, seen: object, shape: S): z.output<S> {
  if (isPromise(change)) {
    // Its rejection must not end the process.
    change.catch(() => undefined);
    throw new AdapterFault('it returned a promise, and must be synchronous');
  }
  const { data, error } = shape.safeParse(change);
  if (error) throw new AdapterFault(describeIssues(error, 'its result'));

  const isRefused = ([name, value]: [string, unknown]): boolean =>
    !(name in shape.shape) && value !== Reflect.get(seen, name);
  if (Object.entries(change).some(isRefused)) {
    const members = Object.keys(shape.shape).join(', ');
    throw new AdapterFault(`its result changes another member than ${members}`);
  }
  return data;
}

/**
 * The limit of the path below the base address. It keeps the request line within the limits of
 * common servers.
 */
const MAX_ADDRESS_LENGTH = 8_000;

/** @param known the segments of the interface's path. Their ids are already checked. */
function toAddress(
  path: readonly string[],
  query: NonNullable<RequestChange['query']>,
  known: readonly string[],
): string {
  const hasSlashAtEnd = path.length > 1 && path.at(-1) === '';
  const segments = hasSlashAtEnd ? path.slice(0, -1) : path;
  const isSafe = (segment: string): boolean => isId(segment) && !/[/\\]/.test(segment);
  if (!segments.every((segment) => known.includes(segment) || isSafe(segment))) {
    throw new AdapterFault('a segment of its path is empty, ".", "..", too long, or has a slash');
  }

  const encode = encodeURIComponent;
  const parameters = Object.entries(query).flatMap(([name, value = []]) =>
    [value].flat().map((text) => `${encode(name)}=${encode(text)}`),
  );
  const mark = parameters.length > 0 ? '?' : '';
  const address = `/${path.map(encode).join('/')}${mark}${parameters.join('&')}`;
  if (address.length > MAX_ADDRESS_LENGTH) {
    throw new AdapterFault(`its path and query have more than ${MAX_ADDRESS_LENGTH} characters`);
  }
  return address;
}

/** Returns the text of a body. An unchanged body keeps `text`. `undefined` for no body. */
function bodyText(
  change: { readonly body?: unknown },
  seen: { readonly body: unknown },
  text: string | undefined,
): string | undefined {
  if (!('body' in change) || change.body === seen.body) return text;
  return change.body === undefined ? undefined : toJsonText(change.body);
}

/** The limit of the platform's responses, in characters. */
const MAX_BODY_LENGTH = 10_485_760;
const TOO_LARGE = `its body has more than ${MAX_BODY_LENGTH} characters`;

/**
 * @throws {AdapterFault} for a value that JSON omits or changes, and for a body that is too
 *   large.
 */
function toJsonText(body: unknown): string {
  let length = 0;
  const text = JSON.stringify(body, (name, value: unknown) => {
    length += name.length + (typeof value === 'string' ? value.length : 2);
    if (length > MAX_BODY_LENGTH) throw new AdapterFault(TOO_LARGE);
    if (isJson(value)) return value;
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    throw new AdapterFault(`its body contains ${kind}, which JSON does not have`);
  });
  // Escaping makes the text longer.
  if (text.length > MAX_BODY_LENGTH) throw new AdapterFault(TOO_LARGE);
  return text;
}

/** Returns whether JSON can represent a value, apart from its members. */
function isJson(value: unknown): boolean {
  if (typeof value !== 'object') {
    return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
  }
  if (value === null || Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
