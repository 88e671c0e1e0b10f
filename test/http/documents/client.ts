import { createHash } from 'node:crypto';

import { postGraphql } from '../../support/gateway.ts';

export const QUERY = 'query Names { form(formId: "supplier") { name } }';
export const ANSWER = { data: { form: { name: 'Supplier' } } };

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The extensions by which a client sends a hash. */
export const byHash = (sha256Hash: unknown, version: unknown = 1) => ({
  persistedQuery: { version, sha256Hash },
});

/** Posts a request body unchanged. */
export const post = (url: string, body: object) => postGraphql(url, body);

/** Sends a GET. Values other than strings are sent as JSON. */
export function get(
  url: string,
  parameters: Readonly<Record<string, unknown>>,
  headers: Record<string, string> = {},
) {
  const texts = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return fetch(`${url}/graphql?${new URLSearchParams(Object.fromEntries(texts))}`, { headers });
}
