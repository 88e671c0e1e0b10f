import { describe, expect, it, onTestFinished } from 'vitest';

import { startGateway } from '../../support/gateway.ts';
import { subscribe } from './support.ts';

const LIST = '{ instances(formId: "supplier") { totalCount } }';

async function start(env: Readonly<Record<string, string>> = {}) {
  const gateway = await startGateway(env);
  onTestFinished(gateway.close);
  return gateway;
}

describe('the variable of @every', () => {
  const every = `subscription ($seconds: Int = 20) @every(seconds: $seconds) ${LIST}`;

  it('may be left to its default', async () => {
    const { url } = await start();
    const stream = await subscribe(url, every);
    expect((await stream.next()).data.instances.totalCount).toBeGreaterThan(0);
  });

  it('that is null is refused with 400', async () => {
    const { url } = await start();
    const { status, ended } = await subscribe(url, every, { variables: { seconds: null } });
    expect(status).toBe(400);
    expect(JSON.parse(await ended).errors[0]).toMatchObject({
      message: expect.stringContaining('@every'),
      extensions: { code: 'BAD_USER_INPUT' },
    });
  });
});

describe('a client of streams alone', () => {
  it.each([
    ['does not parse', 'subscription { instances('],
    ['names none of several operations', `subscription A ${LIST} subscription B ${LIST}`],
  ])('reads 400 and JSON where its document %s', async (_what, query) => {
    const { url } = await start();
    const { status, headers, ended } = await subscribe(url, query);
    expect(status).toBe(400);
    expect(headers.get('content-type')).toMatch(/json/);
    expect(JSON.parse(await ended).errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });
});
