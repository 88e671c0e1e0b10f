import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../../src/core/errors.ts';
import { createLog } from '../../src/core/log.ts';
import { type Env, startGateway } from '../support/gateway.ts';

const CANARY = 'canary-5f2c';

async function startLogged(env: Env = {}) {
  const { execute, logged, lines } = await startGateway({ LOG_LEVEL: 'debug', ...env });
  const operations = () => logged().filter(({ msg }) => msg === 'operation');
  return { lines, operations, execute };
}

describe('the log', () => {
  it('has one line per operation: caller, duration, cost and outcome', async () => {
    const { execute, operations } = await startLogged();

    await execute(
      'query Suppliers { instances(formId: "supplier", first: 2) { nodes { form { name } } } }',
    );

    expect(operations()).toEqual([
      {
        level: 30,
        time: expect.any(String),
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        operation: 'Suppliers',
        kind: 'query',
        durationMs: expect.any(Number),
        caller: 'none',
        upstreamCalls: 2,
        outcome: 'ok',
        msg: 'operation',
      },
    ]);
  });

  it('has the codes of failed fields', async () => {
    const { execute, operations } = await startLogged();

    await execute(
      '{ form(formId: "supplier") { name } instances(formId: "nowhere") { totalCount } }',
    );
    await execute('{ form(formId: "..") { name } }');
    await execute('{ nonsense }');

    expect(operations()).toMatchObject([
      { outcome: 'partial', codes: ['NOT_FOUND'], upstreamCalls: 2 },
      { outcome: 'failed', codes: ['BAD_USER_INPUT'], kind: 'query' },
      { outcome: 'failed', codes: ['BAD_USER_INPUT'], upstreamCalls: 0 },
    ]);
  });

  it('has each failure of the platform once, with its cause', async () => {
    const away = await startLogged({
      UPSTREAM_URL: 'http://127.0.0.1:1',
      UPSTREAM_USERNAME: 'u',
      UPSTREAM_PASSWORD: 'p',
    });
    const refusing = await startLogged();

    await away.execute(
      '{ a: form(formId: "a") { name } b: instances(formId: "b") { totalCount } }',
    );
    await refusing.execute(
      '{ instances(formId: "nowhere") { totalCount } form(formId: "supplier") { name } }',
    );

    expect(
      [...away.operations(), ...refusing.operations()].map(({ failures }) => failures),
    ).toEqual([
      [
        {
          type: 'UpstreamError',
          failure: 'unavailable',
          operation: 'getToken',
          cause: 'ECONNREFUSED',
        },
      ],
      [
        {
          type: 'UpstreamError',
          failure: 'not-found',
          operation: 'getFormIntances',
          status: 404,
          errorCode: 'FORM_NOT_FOUND',
        },
      ],
    ]);
  });

  it('contains no values, credentials or tokens', async () => {
    const { execute, lines } = await startLogged({ IDENTITY: 'user' });

    await execute(
      `mutation { signIn(input: { username: "demo", password: "${CANARY}" }) { expiresAt } }`,
    );
    await execute(
      `{ instances(formId: "${CANARY}", where: [{ field: "${CANARY}", value: "${CANARY}" }]) { totalCount } }`,
    );
    await execute(`{ ${CANARY.replace('-', '_')} }`);

    expect(lines).toHaveLength(3);
    expect(lines.join()).not.toMatch(/canary/);
  });

  it('omits headers, and the messages of errors but not their kind and reason', () => {
    const lines: string[] = [];
    const log = createLog('debug', { write: (line) => void lines.push(line) });
    const refused = Object.assign(new Error(`connect to ${CANARY}`), { code: 'ECONNREFUSED' });

    log.error(
      {
        requestId: '1',
        headers: { authorization: CANARY },
        err: new Error(CANARY, { cause: CANARY }),
      },
      'unexpected error',
    );
    log.warn(
      { err: new UpstreamError('unavailable', { operation: 'getForm', cause: refused }) },
      'a read failed',
    );

    expect(lines.join()).not.toContain(CANARY);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        requestId: '1',
        err: { type: 'Error', at: expect.arrayContaining([expect.stringMatching(/^at /)]) },
      },
      {
        err: {
          type: 'UpstreamError',
          failure: 'unavailable',
          operation: 'getForm',
          cause: 'ECONNREFUSED',
        },
      },
    ]);
  });
});
