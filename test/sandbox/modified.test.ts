import { describe, expect, it } from 'vitest';

import { anExpense } from '../operations/instances.ts';
import { openSandbox } from './support.ts';

const EXPENSES = '/forms/expense/instances';

/** Opens a sandbox that is a minute old, with a function that reads the Last-Modified of a path. */
async function openWatched() {
  const { clock, as, send, signIn } = await openSandbox();
  const call = await as();
  clock.nowMs += 60_000;
  const modified = async (path: string) => (await call('GET', path)).headers.get('last-modified');
  const now = () => new Date(clock.nowMs).toUTCString();
  return { clock, call, send, signIn, modified, now };
}

describe('Last-Modified', () => {
  it.each([
    ['created', 'POST', EXPENSES],
    ['replaced', 'PUT', `${EXPENSES}/3`],
    ['changed', 'PATCH', `${EXPENSES}/3`],
    ['deleted', 'DELETE', `${EXPENSES}/3`],
  ])('of a list changes when an instance is %s', async (_what, method, path) => {
    const { call, modified, now } = await openWatched();
    await call(method, path, method === 'DELETE' ? undefined : anExpense());
    expect(await modified(EXPENSES)).toBe(now());
  });

  it('of an instance changes with that instance alone', async () => {
    const { call, modified, now } = await openWatched();
    const before = await modified(`${EXPENSES}/4`);
    await call('PATCH', `${EXPENSES}/3`, anExpense());
    expect([await modified(`${EXPENSES}/3`), await modified(`${EXPENSES}/4`)]).toEqual([
      now(),
      before,
    ]);
    expect(await modified('/forms/supplier/instances')).toBe(before);
  });

  it('stays the same when a write is rejected', async () => {
    const { call, modified } = await openWatched();
    const before = await modified(EXPENSES);
    await call('PATCH', `${EXPENSES}/3`, { values: { amount: 'x' } });
    await call('DELETE', `${EXPENSES}/999`);
    expect(await modified(EXPENSES)).toBe(before);
  });
});

describe('If-Modified-Since', () => {
  it('gets a 200 after a deletion, and a 304 before', async () => {
    const { call, send, signIn, modified } = await openWatched();
    const since = (await modified(EXPENSES)) ?? '';
    const again = async () => {
      const headers = { ...(await signIn()), 'if-modified-since': since };
      return (await send({ method: 'GET', path: `${EXPENSES}?per-page=5`, headers })).status;
    };
    expect(await again()).toBe(304);
    await call('DELETE', `${EXPENSES}/40`);
    expect(await again()).toBe(200);
  });

  it.each([
    ['an invalid date', '/forms', 'yesterday', 200],
    ['an invalid search', `${EXPENSES}?search=x`, 'Fri, 01 Jan 2100 00:00:00 GMT', 400],
    ['a missing instance', `${EXPENSES}/999`, 'Fri, 01 Jan 2100 00:00:00 GMT', 404],
  ])('does not affect %s', async (_what, path, since, status) => {
    const { send, signIn } = await openWatched();
    const headers = { ...(await signIn()), 'if-modified-since': since };
    expect((await send({ method: 'GET', path, headers })).status).toBe(status);
  });
});
