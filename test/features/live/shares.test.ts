import { describe, expect, it } from 'vitest';

import { callerKeys } from '../../identity/support.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
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
    const { url, watch, change, pass, figure } = await startLongPlatform(callerKeys('one', 'two'));
    const streams = [await watch(VERSION, as('one')), await watch(VERSION, as('two'))];

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
    const { url, watch, change, pass, figure } = await startLongPlatform({});
    const stream = await watch(VERSION);

    for (const _round of times(45)) {
      await change();
      await subscribeUnread(url, { query: valuesOf('a') });
    }

    await pass(2_000);
    await expect.poll(stream.text).toContain('"value":45');
    await expect.poll(() => figure('caseway_live_streams')).toBeLessThan(30);
  });

  it('do not count after the client has read them', async () => {
    const { watch, change, pass } = await startLongPlatform(callerKeys('one'));
    const streams = await Promise.all(times(3).map(() => watch(valuesOf('a'), as('one'))));

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
  const { watch, board, pass } = await startBoard(
    (version) => ({ body: { idInstance: version, values: { version, long } } }),
    { UPSTREAM_CALLS_PER_MINUTE: '400000' },
  );
  const fields =
    'instances(formId: "a") { nodes { reference(field: "next") { value(field: "version") } } }';
  const stream = await watch(`subscription { ${fields} }`);

  for (const _round of times(16)) {
    board.next++;
    await pass(6_000);
    const nodes = [{ reference: { value: board.next } }];
    expect((await stream.next()).data).toEqual({ instances: { nodes } });
  }
});

it('a stored operation counts for its watchers, not for the client that came first', async () => {
  const { url, watch, figure } = await startLongPlatform(callerKeys('one', 'two'));
  const statusOf = async (key: string, form: number) =>
    (await subscribe(url, valuesOf(`f${form}`), as(key))).status;
  const first = await Promise.all(times(4).map((form) => watch(valuesOf(`f${form}`), as('one'))));
  await Promise.all(times(4).map((form) => watch(valuesOf(`f${form}`), as('two'))));
  expect(await statusOf('one', 4)).toBe(429);

  for (const stream of first) stream.close();
  await expect.poll(() => figure('caseway_live_streams')).toBe(4);

  expect([await statusOf('two', 4), await statusOf('one', 5)]).toEqual([429, 200]);
});

describe('the streams of a forwarded token', () => {
  it('count for its caller from the first run on', async () => {
    let calls = 0;
    const released = Promise.withResolvers<void>();
    const platform = await scriptPlatform(async () => {
      calls++;
      if (calls === 5) released.resolve();
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

    const statuses = (await Promise.all(opening)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 200, 429, 429, 429]);
  });

  it('that the platform has not accepted share one caller’s part', async () => {
    const { url, state } = await startLists({ IDENTITY: 'forward' }, { maxStreams: 20 });
    state.failing = { status: 503, body: {} };
    const statuses: number[] = [];
    for (const token of ['a', 'b', 'c']) {
      const headers = { authorization: `Bearer ${token}` };
      statuses.push((await subscribe(url, listOf('a'), { headers })).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });
});

describe('the polls of several callers', () => {
  /** Starts a gateway where each busy caller has a hundred streams. */
  async function startBusy(keys: readonly string[], busy: readonly string[]) {
    const gateway = await startLists(callerKeys(...keys));
    for (const key of busy)
      await Promise.all(
        times(100).map((index) => gateway.watch(listOf(`${key}${index}`), as(key))),
      );
    return gateway;
  }

  it('take turns: three callers with a hundred streams do not delay another caller’s change', async () => {
    const busy = ['many', 'more', 'most'];
    const { watch, change, pass, countCalls, remove } = await startBusy(['few', ...busy], busy);
    const stream = await watch(listOf('own'), as('few'));
    await pass(MINUTE_MS);

    for (const total of [2, 3, 4]) {
      change('own', total);
      const before = countCalls('/forms/own/');
      // Lists that a write through the gateway may have changed are polled at once.
      await remove('own', { 'x-api-key': 'few' });
      await pass(2_000);
      // One is the deletion.
      expect(countCalls('/forms/own/') - before).toBeGreaterThan(1);
      expect((await stream.next()).data.instances.totalCount).toBe(total);
    }

    // A change at the platform is found within an interval.
    change('own', 5);
    await pass(8_000);
    expect((await stream.next()).data.instances.totalCount).toBe(5);
  });

  it('use half of the share for one of them at most while another one polls, and all of it alone', async () => {
    const { watch, pass, seen, countCalls } = await startBusy(['many', 'few'], ['many']);
    seen.length = 0;
    await pass(MINUTE_MS);
    expect(countCalls('/forms/many')).toBeGreaterThan(200);

    await watch(listOf('own'), as('few'));
    seen.length = 0;
    await pass(MINUTE_MS);
    expect(countCalls('/forms/many')).toBeGreaterThan(100);
    expect(countCalls('/forms/many')).toBeLessThanOrEqual(175);
  });

  it('count as polls of the callers who pay for them', async () => {
    const { watch, pass, figure } = await startLists(callerKeys('one', 'two'));
    const pollsOf = (caller: string) =>
      figure(`caseway_caller_calls_total\\{caller="${caller}",kind="poll"\\}`);
    for (const key of ['one', 'two']) await watch(listOf('both'), as(key));
    await watch(listOf('own'), as('two'));

    await pass(MINUTE_MS);

    // They pay in turn for the list that both watch.
    expect([await pollsOf('one'), await pollsOf('two')]).toEqual([6, 18]);
  });
});

it('an open stream keeps nothing of the extensions and the undeclared variables of its request', async () => {
  const { url } = await startLists();
  const nested = Object.fromEntries(
    times(39).map((index) => [index, times(1_000).map(() => ({}))]),
  );
  const body = { query: listOf('a'), extensions: nested, variables: nested };
  const usedBytes = async () => {
    await new Promise(setImmediate);
    return collectGarbage();
  };
  await subscribeUnread(url, body);

  const before = await usedBytes();
  for (const _stream of times(20)) expect(await subscribeUnread(url, body)).toBe(200);

  // Parsed, the body takes 5 MB.
  expect((await usedBytes()) - before).toBeLessThan(20 * 500_000);
});

describe('the memory that counts for a caller', () => {
  it('includes a compiled operation once, however many of their subscriptions have it', async () => {
    const { url } = await startLists(callerKeys('one'));
    const query =
      'subscription ($form: ID!) { instances(formId: $form) { totalCount nodes { id instanceId formId values } } }';

    for (const index of times(300)) {
      const variables = { form: `f${index}` };
      expect((await subscribe(url, query, { ...as('one'), variables })).status).toBe(200);
    }
  });

  it('includes variables by their parsed size', async () => {
    const { url } = await startLists(callerKeys('one', 'two'));
    const query =
      'subscription ($field: String!) { instances(formId: "a") { nodes { value(field: $field) } } }';
    const statusOf = async (key: string, letter: string) => {
      const variables = { field: letter.repeat(90_000) };
      return (await subscribe(url, query, { ...as(key), variables })).status;
    };

    const statuses: number[] = [];
    for (const letter of 'abcde') statuses.push(await statusOf('one', letter));

    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect(await statusOf('two', 'a')).toBe(200);
  });
});
