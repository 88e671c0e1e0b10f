import { type Attack, head, inTurn, post } from '../request.ts';

const QUERY = JSON.stringify({ query: '{ __typename }' });
const MUTATION = JSON.stringify({ query: 'mutation { signOut { __typename } }' });
const GET_QUERY = 'GET /graphql?query=%7B__typename%7D';
const GET_MUTATION = `GET /graphql?query=${encodeURIComponent('mutation { signOut { __typename } }')}`;

const http = (name: string, status: number, bytes: string | Buffer): Attack => ({
  name,
  status: [status],
  prepare: inTurn(() => [bytes]),
});

/** Attacks by the syntax of HTTP. */
export const HTTP_ATTACKS: readonly Attack[] = [
  http('GET of a query, no headers', 200, head(GET_QUERY)),
  http(
    'GET of a query from another site',
    403,
    head(GET_QUERY, { 'sec-fetch-site': 'cross-site' }),
  ),
  http('GET of a query, with a header of ours', 200, head(GET_QUERY, { 'x-csrf': '1' })),
  http('GET of a mutation', 405, head(GET_MUTATION)),
  http('GET of a mutation, with a header of ours', 405, head(GET_MUTATION, { 'x-csrf': '1' })),
  http('GET with a bogus content type', 415, head(GET_QUERY, { 'content-type': 'bogus' })),
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=a',
    '',
    'text/plain;application/json',
  ].map((type) =>
    http(
      `POST of a mutation as "${type}"`,
      415,
      post(MUTATION, { headers: { 'content-type': type } }),
    ),
  ),
  http(
    'POST from another origin',
    403,
    post(QUERY, { headers: { origin: 'https://evil.example' } }),
  ),
  http(
    'a preflight from another origin',
    405,
    head('OPTIONS /graphql', {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
    }),
  ),
  http('PUT', 405, head('PUT /graphql')),
  http('DELETE', 405, head('DELETE /graphql')),
  http('TRACE', 405, head('TRACE /graphql')),
  http('GET of a page', 404, head('GET /', { accept: 'text/html' })),
  http(
    'UTF-7',
    415,
    post(QUERY, { headers: { 'content-type': 'application/json; charset=utf-7' } }),
  ),
  http('headers of 20 KB', 431, post(QUERY, { headers: { 'x-long': 'x'.repeat(20_000) } })),
  http(
    'a length and chunks',
    400,
    post(`0\r\n\r\n${QUERY}`, { headers: { 'transfer-encoding': 'chunked' } }),
  ),
  http('two hosts', 400, post(QUERY, { headers: { Host: 'evil.example' } })),
];
