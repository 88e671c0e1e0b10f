import { RequestError } from './request-error.ts';

/**
 * Parses a request body.
 *
 * @throws {RequestError} for malformed UTF-8, which would otherwise be taken with other characters than were sent, and
 *   for malformed JSON. Neither quotes the body.
 */
export function parseJsonBody(body: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new RequestError(400, 'The request body is not UTF-8.');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError(400, 'The request body is not JSON.');
  }
}
