import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';

import { readConfig } from '../../src/app/index.ts';
import { createRequestIds } from '../../src/http/server.ts';
import { executeAs } from '../identity/support.ts';
import { type Env, startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

const NEW = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;
const GIVEN = 'edge-1:7f3a.2026_11';

async function start(env: Env = {}) {
  const platform = await scriptPlatform(() => ({ body: { idForm: 'supplier', name: 'Supplier' } }));
  const { url, logged } = await startGateway({ LOG_LEVEL: 'info', ...platform.env, ...env });
  const execute = async (query: string, requestId?: string) => {
    const sent = requestId === undefined ? {} : { 'x-request-id': requestId };
    const { headers, errors } = await executeAs(url, query, { ...sent });
    return { id: headers.get('x-request-id'), errors };
  };
  const passedOn = () => platform.seen.map(({ headers }) => headers['x-request-id']);
  return { logged, execute, passedOn };
}

describe('the request id', () => {
  it('is accepted from a proxy, and passed on to the platform, errors, log and response', async () => {
    const { execute, passedOn, logged } = await start();

    const { id, errors } = await execute(
      '{ form(formId: "supplier") { name } instance(formId: "x", instanceId: "no") { id } }',
      GIVEN,
    );

    expect(id).toBe(GIVEN);
    expect(errors?.[0]?.extensions['requestId']).toBe(GIVEN);
    expect(passedOn()).toEqual([GIVEN]);
    expect(logged().at(-1)).toMatchObject({ msg: 'operation', requestId: GIVEN });
  });

  it('is generated if it is missing or invalid, and unique for each request', async () => {
    const { execute, passedOn } = await start();
    const remove =
      'mutation { deleteInstance(input: { formId: "x", instanceId: "1" }) { deletedId } }';

    const { id: first } = await execute('{ form(formId: "supplier") { name } }');
    const { id: second } = await execute(remove);

    expect(passedOn()).toEqual([first, second]);
    expect(first).toMatch(NEW);
    expect(second).toMatch(NEW);
    expect(first).not.toBe(second);
    for (const given of ['abc', 'x'.repeat(129), 'id with spaces <script>'])
      expect((await execute('{ __typename }', given)).id, given).toMatch(NEW);
  });

  it.each([
    ['127.0.0.1', GIVEN],
    ['::1', GIVEN],
    ['::ffff:127.0.0.1', GIVEN],
    ['10.1.2.3', expect.stringMatching(NEW)],
    ['::ffff:203.0.113.7', expect.stringMatching(NEW)],
    [undefined, expect.stringMatching(NEW)],
  ])('from %s by default is %s', (remoteAddress, expected) => {
    const headers = { 'x-request-id': GIVEN };
    const request = { headers, socket: { remoteAddress } } as unknown as IncomingMessage;

    expect(createRequestIds(readConfig({}).isTrustedProxy)(request)).toEqual(expected);
  });

  it('is generated where TRUSTED_PROXIES does not list the sender', async () => {
    const { execute } = await start({ TRUSTED_PROXIES: '203.0.113.0/24, 2001:db8::1' });

    expect((await execute('{ __typename }', GIVEN)).id).toMatch(NEW);
  });
});

it('a value of TRUSTED_PROXIES that is no address is refused as a setting', () => {
  expect(() => readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, proxy.example' })).toThrow(
    'TRUSTED_PROXIES: must be IP addresses or subnets such as 10.0.0.0/8',
  );
});
