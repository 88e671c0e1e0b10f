import { describe, expect, it } from 'vitest';

import { anExpense } from '../operations/instances.ts';
import { openSandbox, type SandboxRequest, sendRaw } from './support.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('a request', () => {
  const get = (path: string): SandboxRequest => ({ method: 'GET', path });
  const post = (body: unknown): SandboxRequest => ({ method: 'POST', path: '/cases', body });
  it.each<[string, SandboxRequest, number, string]>([
    ['an unknown path', get('//nowhere'), 404, 'OPERATION_NOT_FOUND'],
    ['the path without its version', get('//forms'), 404, 'OPERATION_NOT_FOUND'],
    ['another method', { method: 'DELETE', path: '/forms' }, 404, 'OPERATION_NOT_FOUND'],
    ['a path that is not percent-encoded', get('/forms/%zz'), 400, 'MALFORMED_REQUEST'],
    ['an endless id', get(`/forms/${'x'.repeat(3000)}`), 404, 'OPERATION_NOT_FOUND'],
    ['an empty id', get('/forms//instances'), 404, 'FORM_NOT_FOUND'],
    ['a body that is not JSON', post('{"idProcess":'), 400, 'MALFORMED_BODY'],
    ['a body that is not an object', post([]), 400, 'MALFORMED_BODY'],
    ['an empty body where one is due', post(''), 400, 'BODY_REQUIRED'],
    ['an excessively nested body', post('['.repeat(500_000)), 400, 'MALFORMED_BODY'],
    ['a body beyond 1 MB', post(' '.repeat(1_100_000)), 413, 'BODY_TOO_LARGE'],
    [
      'an invalid Content-Type',
      { ...post('{}'), headers: { 'content-type': 'json' } },
      415,
      'MALFORMED_REQUEST',
    ],
  ])('with %s gets a JSON error', async (_what, request, status, errorCode) => {
    const { send, signIn } = await openSandbox();
    const headers = { ...JSON_TYPE, ...(await signIn()), ...request.headers };
    const answer = await send({ ...request, headers });

    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ message: expect.any(String), errorCode });
  });

  it('may omit Accept and Content-Type', async () => {
    const { origin, signIn } = await openSandbox();
    const { authorization } = await signIn();
    const body = JSON.stringify(anExpense());
    const head = `Host: x\r\nAuthorization: ${authorization}\r\nConnection: close\r\nContent-Length: ${body.length}`;

    const answer = await sendRaw(
      origin,
      `POST /v1.0/forms/expense/instances HTTP/1.1\r\n${head}\r\n\r\n${body}`,
    );

    expect(answer).toMatch(/^HTTP\/1.1 201 Created/);
  });

  it.each([
    ['is not HTTP', 'HELLO\r\n\r\n', /^HTTP\/1.1 400 /],
    [
      'has endless headers',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`,
      /^HTTP\/1.1 431 /,
    ],
  ])('that %s gets a JSON error too', async (_what, bytes, start) => {
    const { origin } = await openSandbox();
    const answer = await sendRaw(origin, bytes);

    expect(answer).toMatch(start);
    expect(answer).toContain('"errorCode":"MALFORMED_REQUEST"');
  });
});

describe('a sandbox', () => {
  it('reports every response to its owner before it is sent', async () => {
    const { answers, send, signIn } = await openSandbox();
    await send({ method: 'GET', path: '/forms?page-number=2', headers: await signIn('reader') });
    await send({ method: 'GET', path: '/nowhere' });

    expect(answers).toMatchObject([
      { operation: 'getToken', method: 'POST', url: '/v1.0/token', status: 201, user: 'reader' },
      {
        operation: 'getForms',
        method: 'GET',
        url: '/v1.0/forms?page-number=2',
        status: 200,
        user: 'reader',
        headers: { accept: 'application/json' },
      },
      { operation: 'unknown', method: 'GET', url: '/v1.0/nowhere', status: 404 },
    ]);
    expect(answers[2]?.user).toBeUndefined();
  });

  it('closes at once despite kept-alive connections, and may be closed twice', async () => {
    const { send, close } = await openSandbox();
    await send({ method: 'GET', path: '/forms' });
    const startedAt = performance.now();
    await close();
    await close();

    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it('lists users whose purposes all differ', async () => {
    const { users } = await openSandbox();

    expect(users.map(({ username }) => username)).toContain('demo');
    expect(new Set(users.map(({ about }) => about)).size).toBe(users.length);
  });
});
