import { createServer } from 'node:http';

import { defineForms, writeValues } from './definitions.ts';

const [, , forms = '1', fields = '10'] = process.argv;

/** When all of it last changed. */
const MODIFIED = 'Mon, 02 Mar 2026 09:00:00 GMT';
const TOKEN = '{"access_token":"a-token","token_type":"Bearer","expires_in":3600}';
const definitions = defineForms(Number(forms), Number(fields)).map((definition) => JSON.stringify(definition));

function answerTo(path: string): string {
  const { pathname, searchParams } = new URL(path, 'http://platform');
  if (pathname === '/v1.0/token') return TOKEN;
  const size = Number(searchParams.get('per-page') ?? 20);
  const first = (Number(searchParams.get('page-number') ?? 1) - 1) * size;
  if (pathname === '/v1.0/forms') {
    return `{"items":[${definitions.slice(first, first + size).join(',')}],"total":${definitions.length}}`;
  }
  const rows = Array.from(
    { length: size },
    (_, at) => `{"idInstance":${first + at + 1},"values":${writeValues(first + at + 1)}}`,
  );
  return `{"items":[${rows.join(',')}],"total":1000000000}`;
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  const body = answerTo(request.url ?? '');
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  response.writeHead(200, { ...headers, 'last-modified': MODIFIED }).end(body);
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.(address.port);
});
