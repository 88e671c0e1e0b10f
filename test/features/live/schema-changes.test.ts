import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { type Definition, startFormPlatform } from '../../support/form-platform.ts';
import { startGateway } from '../../support/gateway.ts';
import { subscribe } from './support.ts';

/** A form with a field that stays, and one of each version. */
const thing = (version: number): Definition => ({
  idForm: 'thing',
  fields: [
    { name: 'name', type: 'text' },
    { name: `only${version}`, type: 'text' },
  ],
});

async function start() {
  const values = { name: 'before', only0: 'zero' };
  const platform = await startFormPlatform([thing(0)], { valuesOf: () => values });
  const env = { ...platform.env, CACHE_DEFINITIONS_MS: '1', LIVE_INTERVAL_MS: '1000' };
  const { url, execute } = await startGateway(env);
  const define = async (version: number) => {
    platform.define([thing(version)]);
    for (;;) {
      const { data } = await execute('{ __type(name: "Thing") { fields { name } } }');
      if (data.__type.fields.some(({ name }: { name: string }) => name === `only${version}`))
        return;
      await turn();
    }
  };
  /** Opens a stream whose first result is on its way while the form gets another version. */
  const openWhile = async (version: number, query: string) => {
    const release = platform.hold();
    const opening = subscribe(url, `subscription ${query}`);
    await expect.poll(() => platform.calls.some((call) => call.includes('/instances'))).toBe(true);
    await define(version);
    release();
    return opening;
  };
  return { url, values, define, openWhile };
}

describe('when the schema changes, a stream', () => {
  it('goes on where its operation fits', async () => {
    const { url, values, define } = await start();
    const stream = await subscribe(url, 'subscription { things(first: 1) { nodes { name } } }');
    expect((await stream.next()).data.things.nodes).toEqual([{ name: 'before' }]);

    await define(1);
    values.name = 'after';

    expect((await stream.next()).data.things.nodes).toEqual([{ name: 'after' }]);
    expect(stream.text()).not.toContain('errors');
  });

  it('gets the error, and is complete, where its operation does not fit', async () => {
    const { url, define } = await start();
    const stream = await subscribe(
      url,
      'subscription { things(first: 1) { nodes { name only0 } } }',
    );
    expect((await stream.next()).data.things.nodes).toEqual([{ name: 'before', only0: 'zero' }]);

    await define(1);

    expect(await stream.ended).toMatch(/"code":"BAD_USER_INPUT".*\n\nevent: complete\ndata:\n\n$/);
  });

  it('whose first result is on its way follows as well', async () => {
    const { values, openWhile } = await start();

    const stream = await openWhile(1, '{ things(first: 1) { nodes { name } } }');

    expect((await stream.next()).data.things.nodes).toEqual([{ name: 'before' }]);
    values.name = 'after';
    expect((await stream.next()).data.things.nodes).toEqual([{ name: 'after' }]);
  });

  it('whose first result is on its way gets that and the error where its operation does not fit', async () => {
    const { openWhile } = await start();

    const stream = await openWhile(1, '{ things(first: 1) { nodes { only0 } } }');

    expect(await stream.ended).toMatch(/"code":"BAD_USER_INPUT".*\n\nevent: complete\ndata:\n\n$/);
  });
});
