import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';

import { readConfig } from '../../src/app/index.ts';
import { createRequestIds } from '../../src/http/server.ts';
import { executeAs } from '../identity/support.ts';
import { type Env, startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

const NEW = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;
const GIVEN = 'edge-1:7f3a.2026_11';

async function startBehindProxy(env: Env = {}) {
  const platform = await scriptPlatform(({ url }) =>
    url.endsWith('/supplier')
      ? { body: { idForm: 'supplier', name: 'Supplier' } }
      : { status: 404, body: {} },
  );
  const gateway = await startGateway({ LOG_LEVEL: 'info', ...platform.env, ...env });
  const execute = async (query: string, headers: Readonly<Record<string, string>>) => {
    const { headers: received, errors } = await executeAs(gateway.url, query, headers);
    return { id: received.get('x-request-id'), errors };
  };
  return { ...platform, lines: gateway.lines, execute };
}

describe('the request id', () => {
  it('is accepted from a proxy, and passed on to the platform, errors, log and response', async () => {
    const { execute, seen, lines } = await startBehindProxy();

    const { id, errors } = await execute(
      '{ form(formId: "supplier") { name } instance(formId: "x", instanceId: "no") { id } }',
      {
        'x-request-id': GIVEN,
      },
    );

    expect(id).toBe(GIVEN);
    expect(errors?.[0]?.extensions['requestId']).toBe(GIVEN);
    expect(seen.map(({ headers }) => headers['x-request-id'])).toEqual([GIVEN]);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ msg: 'operation', requestId: GIVEN });
  });

  it('is generated if it is missing or invalid, and unique for each request', async () => {
    const { execute, seen } = await startBehindProxy();
    const remove =
      'mutation { deleteInstance(input: { formId: "x", instanceId: "1" }) { deletedId } }';

    const { id: first } = await execute('{ form(formId: "supplier") { name } }', {});
    const { id: second } = await execute(remove, {});

    expect(seen.map(({ headers }) => headers['x-request-id'])).toEqual([first, second]);
    expect([first, second]).toEqual([expect.stringMatching(NEW), expect.stringMatching(NEW)]);
    expect(first).not.toBe(second);
    for (const given of ['abc', 'x'.repeat(129), 'id with spaces <script>']) {
      expect((await execute('{ __typename }', { 'x-request-id': given })).id, given).toMatch(NEW);
    }
  });

  it.each([
    ['127.0.0.1', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['10.1.2.3', false],
    ['::ffff:203.0.113.7', false],
    [undefined, false],
  ])('from %s is accepted by default: %s', (remoteAddress, isTaken) => {
    const request = {
      headers: { 'x-request-id': GIVEN },
      socket: { remoteAddress },
    } as unknown as IncomingMessage;

    const requestIdOf = createRequestIds(readConfig({}).isTrustedProxy);

    expect(requestIdOf(request) === GIVEN).toBe(isTaken);
  });

  it('is generated where TRUSTED_PROXIES does not list the sender', async () => {
    const { execute } = await startBehindProxy({ TRUSTED_PROXIES: '203.0.113.0/24, 2001:db8::1' });

    expect((await execute('{ __typename }', { 'x-request-id': GIVEN })).id).toMatch(NEW);
  });

  it('has no gateway start with TRUSTED_PROXIES that are no addresses', async () => {
    await expect(
      startBehindProxy({ TRUSTED_PROXIES: '10.0.0.0/8, proxy.example' }),
    ).rejects.toThrow('TRUSTED_PROXIES: must be IP addresses or subnets such as 10.0.0.0/8');
  });
});
