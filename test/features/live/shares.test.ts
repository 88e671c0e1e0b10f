import { describe, expect, it } from 'vitest';

import { callerKeys } from '../../identity/support.ts';
import type { Env } from '../../support/gateway.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import {
  listOf,
  MINUTE_MS,
  startBoard,
  startByClock,
  startLists,
  subscribe,
  subscribeUnread,
  times,
} from './support.ts';

const as = (key: string) => ({ headers: { 'x-api-key': key } });
const valuesOf = (form: string) =>
  `subscription { instances(formId: "${form}") { nodes { values } } }`;
const VERSION = 'subscription { instances(formId: "a") { nodes { value(field: "version") } } }';

/**
 * A platform whose lists have one row of a million characters and twice as many bytes, which a
 * deletion changes.
 */
async function startLongPlatform(env: Env) {
  const long = 'é'.repeat(1_000_000);
  let version = 0;
  const platform = await scriptPlatform(({ method }) => {
    if (method === 'DELETE') return { status: 204, body: '' };
    return { body: { items: [{ idInstance: 1, values: { version, long } }], total: 1 } };
  });
  const gateway = await startByClock({
    ...platform.env,
    UPSTREAM_CALLS_PER_MINUTE: '400000',
    ...env,
  });
  const change = async () => {
    version++;
    await gateway.remove('a', { 'x-api-key': 'one' });
    await gateway.pass(250);
    return version;
  };
  return { ...gateway, change };
}

describe('the unread results of streams', () => {
  it('count for their caller: only that caller’s streams are closed, from the one that was behind for longest', async () => {
    const { url, change, pass, figure } = await startLongPlatform(callerKeys('one', 'two'));
    const streams = [
      await subscribe(url, VERSION, as('one')),
      await subscribe(url, VERSION, as('two')),
    ];
    for (const stream of streams) await stream.next();

    const statuses: number[] = [];
    for (const _round of times(25)) {
      await change();
      statuses.push(await subscribeUnread(url, { query: valuesOf('a') }, { 'x-api-key': 'one' }));
    }

    await pass(2_000);
    for (const stream of streams) await expect.poll(stream.text).toContain('"value":25');
    // Those beyond the share hold nothing yet: the system has taken all that was sent to them.
    await expect.poll(() => figure('caseway_live_streams')).toBeLessThan(15);
    expect(statuses.at(-1)).toBe(200);
    expect((await subscribe(url, valuesOf('a'), as('two'))).status).toBe(200);
  });

  it('have one bound for all if callers are not known', async () => {
    const { url, change, pass, figure } = await startLongPlatform({});
    const stream = await subscribe(url, VERSION);
    await stream.next();

    for (const _round of times(45)) {
      await change();
      await subscribeUnread(url, { query: valuesOf('a') });
    }

    await pass(2_000);
    await expect.poll(stream.text).toContain('"value":45');
    await expect.poll(() => figure('caseway_live_streams')).toBeLessThan(30);
  });

  it('do not count after the client has read them', async () => {
    const { url, change, pass } = await startLongPlatform(callerKeys('one'));
    const streams = await Promise.all(times(3).map(() => subscribe(url, valuesOf('a'), as('one'))));
    for (const stream of streams) await stream.next();

    for (const _round of times(4)) {
      const version = await change();
      await pass(1_000);
      for (const stream of streams) {
        expect((await stream.next()).data.instances.nodes[0].values).toMatchObject({ version });
      }
    }
  });
});

it('the responses of runs do not count after the runs have ended', async () => {
  const long = 'x'.repeat(9_000_000);
  const { url, board, pass } = await startBoard(
    (version) => ({ body: { idInstance: version, values: { version, long } } }),
    { UPSTREAM_CALLS_PER_MINUTE: '400000' },
  );
  const fields =
    'instances(formId: "a") { nodes { reference(field: "next") { value(field: "version") } } }';
  const stream = await subscribe(url, `subscription { ${fields} }`);
  await stream.next();

  for (const _round of times(16)) {
    board.next++;
    await pass(6_000);
    const nodes = [{ reference: { value: board.next } }];
    expect((await stream.next()).data).toEqual({ instances: { nodes } });
  }
});

it('a stored operation counts for its watchers, not for the client that came first', async () => {
  const { url, figure } = await startLongPlatform(callerKeys('one', 'two'));
  const open = (key: string, form: number) => subscribe(url, valuesOf(`f${form}`), as(key));
  const first = await Promise.all(times(4).map((form) => open('one', form)));
  const others = await Promise.all(times(4).map((form) => open('two', form)));
  for (const stream of [...first, ...others]) await stream.next();
  expect((await open('one', 4)).status).toBe(429);

  for (const stream of first) stream.close();
  await expect.poll(() => figure('caseway_live_streams')).toBe(4);

  expect((await open('two', 4)).status).toBe(429);
  expect((await open('one', 5)).status).toBe(200);
});

describe('the streams of a forwarded token', () => {
  it('count for its caller from the first run on', async () => {
    const asked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const seen: unknown[] = [];
    const platform = await scriptPlatform(async (request) => {
      seen.push(request);
      if (seen.length === 5) asked.resolve();
      await released.promise;
      return { body: { items: [], total: 0 } };
    });
    const { url } = await startByClock(
      { ...platform.env, IDENTITY: 'forward' },
      { maxStreams: 20 },
    );
    const opening = times(5).map((form) =>
      subscribe(url, listOf(`f${form}`), { headers: { authorization: 'Bearer one' } }),
    );
    await asked.promise;
    released.resolve();

    const statuses = (await Promise.all(opening)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 200, 429, 429, 429]);
  });

  it('that the platform has not accepted share one caller’s part', async () => {
    const { url, state } = await startLists({ IDENTITY: 'forward' }, { maxStreams: 20 });
    state.failing = { status: 503, body: {} };
    const statuses: number[] = [];
    for (const token of ['a', 'b', 'c']) {
      const { status } = await subscribe(url, listOf('a'), {
        headers: { authorization: `Bearer ${token}` },
      });
      statuses.push(status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });
});

describe('the polls of several callers', () => {
  async function startBusy(keys: readonly string[], busy: readonly string[]) {
    const gateway = await startLists(callerKeys(...keys));
    for (const key of busy) {
      const streams = await Promise.all(
        times(100).map((index) => subscribe(gateway.url, listOf(`${key}${index}`), as(key))),
      );
      await Promise.all(streams.map((stream) => stream.next()));
    }
    return gateway;
  }

  it('take turns: three callers with a hundred streams do not delay another caller’s change', async () => {
    const busy = ['many', 'more', 'most'];
    const { url, change, pass, seen, remove } = await startBusy(['few', ...busy], busy);
    const stream = await subscribe(url, listOf('own'), as('few'));
    await stream.next();
    await pass(MINUTE_MS);

    for (const total of [2, 3, 4]) {
      change('own', total);
      const polls = () => seen.filter(({ url: path }) => path.includes('/forms/own/')).length;
      const before = polls();
      // Lists that a write through the gateway may have changed are polled at once.
      await remove('own', { 'x-api-key': 'few' });
      await pass(2_000);
      // One is the deletion.
      expect(polls() - before).toBeGreaterThan(1);
      expect((await stream.next()).data.instances.totalCount).toBe(total);
    }

    // One at the platform is found within an interval.
    change('own', 5);
    await pass(8_000);
    expect((await stream.next()).data.instances.totalCount).toBe(5);
  });

  it('use half of the share for one of them at most while another one polls, and all of it alone', async () => {
    const { pass, seen, url } = await startBusy(['many', 'few'], ['many']);
    const pollsOf = (key: string) =>
      seen.filter(({ url: path }) => path.includes(`/forms/${key}`)).length;
    seen.length = 0;
    await pass(MINUTE_MS);
    expect(pollsOf('many')).toBeGreaterThan(200);

    await (await subscribe(url, listOf('own'), as('few'))).next();
    seen.length = 0;
    await pass(MINUTE_MS);
    expect(pollsOf('many')).toBeGreaterThan(100);
    expect(pollsOf('many')).toBeLessThanOrEqual(175);
  });

  it('count as polls of the callers who pay for them', async () => {
    const { url, pass, figure } = await startLists(callerKeys('one', 'two'));
    const polls = (caller: string) =>
      figure(`caseway_caller_calls_total\\{caller="${caller}",kind="poll"\\}`);
    for (const key of ['one', 'two']) await (await subscribe(url, listOf('both'), as(key))).next();
    await (await subscribe(url, listOf('own'), as('two'))).next();

    await pass(MINUTE_MS);

    const paid = [await polls('one'), await polls('two')];
    expect(paid.reduce((sum, calls) => sum + calls, 0)).toBe(24);
    // They pay in turn for what both watch.
    expect(paid[0]).toBe(6);
  });
});
