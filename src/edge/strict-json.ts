import { checkJson, type JsonLimits } from './json-limits.ts';
import { RequestError } from './request-error.ts';

/**
 * Parses a request body.
 *
 * @throws {RequestError} for malformed UTF-8, which would otherwise be taken with other characters than were sent, for
 *   malformed JSON, and for JSON that is beyond the limits. It never quotes the body.
 */
export function parseJsonBody(body: Buffer, limits: JsonLimits): unknown {
  try {
    return parseJsonText(new TextDecoder('utf-8', { fatal: true }).decode(body), limits);
  } catch (error) {
    if (error instanceof RequestError) throw error;
    throw new RequestError(400, 'The request body is not UTF-8.');
  }
}

/**
 * Parses JSON of a request.
 *
 * @throws {RequestError} for malformed JSON, and for JSON that is beyond the limits.
 */
export function parseJsonText(text: string, limits: JsonLimits): unknown {
  checkJson(text, limits);
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError(400, 'The request body is not JSON.');
  }
}
