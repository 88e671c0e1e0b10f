import { describe, expect, it } from 'vitest';

import { updateFormIntance } from '../../src/upstream/resources/instances.ts';
import {
  CREDENTIALS,
  failureOf,
  openFactory,
  openPlatform,
  type Reply,
  startServer,
} from './support/open.ts';

const KEY = 'ApiKey 0123456789/abc';
const LONG = 'x'.repeat(950);

/** Opens a platform that answers with a body that `echo` creates from a header of the request. */
async function openEcho(echo: (text: string) => Reply, header: string) {
  const { url } = await startServer(({ target, headers }) =>
    target === '/v1.0/token'
      ? { status: 200, body: { access_token: 'abcdef/0123456789', expires_in: 3600 } }
      : echo(headers[header]?.[0] ?? 'absent'),
  );
  const others = { proxy: undefined, ca: undefined, certificate: undefined };
  const transport = { ...others, origin: url, headers: { 'x-api-key': KEY } };
  return openFactory(url, { transport }).forService(CREDENTIALS.B);
}

const CHANGE = { formId: 'a', instanceId: '1', values: { title: 'b' } };

/** Bodies that repeat a header's value, at several places. */
const ECHOES: readonly (readonly [string, (text: string) => Reply])[] = [
  ['code', (text) => ({ status: 400, body: { errorCode: text } })],
  ['message', (text) => ({ status: 400, body: { message: `bad header ${text}` } })],
  ['message of a 200', (text) => ({ status: 200, body: { success: false, message: text } })],
  ['message of a 500', (text) => ({ status: 500, body: { message: text } })],
  ['long message', (text) => ({ status: 400, body: { message: `${LONG} ${text}` } })],
  [
    'escaped message',
    (text) => ({ status: 400, body: JSON.stringify({ message: text }).replaceAll('/', '\\/') }),
  ],
  ['inner JSON', (text) => ({ status: 400, body: { message: JSON.stringify({ detail: text }) } })],
  [
    'violation',
    (text) => ({ status: 400, body: { violations: [{ field: 'title', message: text }] } }),
  ],
  ['name of a field', (text) => ({ status: 400, body: { [text]: ['is wrong'] } })],
];

describe.each([
  ['authorization', 'abcdef'],
  ['x-api-key', '0123456789/'],
])('the request header %s', (header, secret) => {
  it.each(ECHOES)('is not in an error whose body repeats it as its %s', async (_where, echo) => {
    const upstream = await openEcho(echo, header);
    const error = await failureOf(upstream.change(updateFormIntance, CHANGE));

    expect(JSON.stringify(error)).toContain('[redacted');
    expect(JSON.stringify(error)).not.toContain(secret);
  });

  it.each(ECHOES)('is not in an error that repeats it without its scheme: %s', async (_, echo) => {
    const upstream = await openEcho((text) => echo(text.split(' ')[1] ?? ''), header);
    const error = await failureOf(upstream.change(updateFormIntance, CHANGE));

    expect(JSON.stringify(error)).not.toContain(secret);
  });
});

describe('the password of a sign-in', () => {
  it.each([400, 401, 403, 404, 429, 500])(
    'is not in the error of a %i that repeats it',
    async (status) => {
      const answer: Reply = { status, body: { message: 'secret', errorCode: 'secret' } };
      for (const variant of ['A', 'B'] as const) {
        const { readForm } = await openPlatform(answer, { variant, issue: () => answer });

        expect(JSON.stringify(await failureOf(readForm()))).not.toContain('secret');
      }
    },
  );
});
