import { lookup as resolve } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Pool } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';

import { createLookup } from '../../src/upstream/lookup.ts';
import { fakeClock } from './support/fake-clock.ts';
import { startServer } from './support/http-server.ts';
import { failureOf, openExchange, READ } from './support/open.ts';

/** Asks by name a server whose name can be resolved while the test says so; each call opens a connection. */
async function named() {
  const { url, received } = await startServer(() => ({ status: 200, headers: { connection: 'close' }, body: {} }));
  const clock = fakeClock();
  const state = { isKnown: true };
  const ask: LookupFunction = (_name, options, callback) =>
    state.isKnown
      ? resolve('127.0.0.1', options, callback)
      : callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), '');
  const address = `http://platform.example:${new URL(url).port}`;
  const dispatcher = new Pool(address, { connect: { lookup: createLookup({ ask, now: clock.now }) } });
  onTestFinished(() => dispatcher.destroy());
  return { call: () => openExchange(address, { dispatcher })(READ), clock, state, received };
}

describe('the name of a platform', () => {
  it('that cannot be resolved makes it unavailable, with nothing sent, and is asked for anew the next time', async () => {
    const { call, state } = await named();
    state.isKnown = false;
    const error = await failureOf(call());

    state.isKnown = true;

    expect(error).toMatchObject({ failure: 'unavailable', isUnsent: true });
    expect((await call()).status).toBe(200);
  });

  it('that can be resolved no more leads to its last good address', async () => {
    const { call, state, received } = await named();
    await call();

    state.isKnown = false;
    await call();

    expect(received).toHaveLength(2);
  });

  it('leads nowhere once its last good address is older than five minutes', async () => {
    const { call, clock, state } = await named();
    await call();
    state.isKnown = false;

    await clock.advance(300_001);

    expect((await failureOf(call())).failure).toBe('unavailable');
  });
});
