import { describe, expect, it } from 'vitest';

import { postGraphql } from '../../support/gateway.ts';
import { listOf, MINUTE_MS, startLists, subscribe, times } from './support.ts';

const REQUEST_LIMIT_EXCEEDED = { message: 'Too many.', errorCode: 'REQUEST_LIMIT_EXCEEDED' };

describe('the polls of subscriptions', () => {
  it('are 12 in a quiet minute for 200 equal streams', async () => {
    const { url, seen, pass, figure } = await startLists();
    const streams = await Promise.all(times(200).map(() => subscribe(url, listOf('a'))));
    await Promise.all(streams.map((stream) => stream.next()));
    seen.length = 0;

    await pass(MINUTE_MS);

    expect(seen).toHaveLength(12);
    expect(seen.every(({ headers }) => headers['if-modified-since'] !== undefined)).toBe(true);
    expect(await figure('caseway_live_operations')).toBe(1);
  });

  it('are at most 30 a minute for 60 lists and a budget of 120, and no read within its share is refused', async () => {
    const { url, seen, pass } = await startLists({ UPSTREAM_CALLS_PER_MINUTE: '120' });
    for (const window of times(6)) {
      const opened = await Promise.all(
        times(10).map((index) => subscribe(url, listOf(`f${10 * window + index}`))),
      );
      await Promise.all(opened.map((stream) => stream.next()));
      await pass(10_000);
    }
    seen.length = 0;

    for (const window of times(6)) {
      const reads = times(10).map(
        (index) => `{ instances(formId: "r${10 * window + index}") { totalCount } }`,
      );
      const answers = await Promise.all(reads.map((query) => postGraphql(url, { query })));
      expect(answers.filter(({ errors }) => errors)).toEqual([]);
      await pass(10_000);
    }

    const polled = seen.filter(({ url: path }) => path.includes('/forms/f'));
    expect(polled.length).toBeGreaterThan(20);
    expect(polled.length).toBeLessThanOrEqual(30);
    // The ones that waited longest went first, so no list was polled twice.
    expect(new Set(polled.map(({ url: path }) => path)).size).toBe(polled.length);
  });

  it('find a change at the platform within one interval, and send no equal result', async () => {
    const { url, pass, change } = await startLists();
    const stream = await subscribe(url, listOf('a'));
    expect(await stream.next()).toEqual({ data: { instances: { totalCount: 1 } } });

    change('a', 1);
    await pass(5_250);
    expect(stream.text()).not.toContain('"totalCount":2');
    change('a', 2);
    await pass(5_500);

    expect(await stream.next()).toEqual({ data: { instances: { totalCount: 2 } } });
  });

  it('have the interval of @every, and at least LIVE_INTERVAL_MS', async () => {
    const { url, seen, pass } = await startLists();
    const rare = await subscribe(url, listOf('a').replace('{', '@every(seconds: 20) {'));
    const eager = await subscribe(url, listOf('b').replace('{', '@every(seconds: 1) {'));
    await Promise.all([rare.next(), eager.next()]);
    seen.length = 0;

    await pass(MINUTE_MS);

    expect(seen.filter(({ url: path }) => path.includes('/forms/a/'))).toHaveLength(3);
    expect(seen.filter(({ url: path }) => path.includes('/forms/b/'))).toHaveLength(12);
  });

  it('end with the last stream', async () => {
    const { url, seen, pass, figure } = await startLists();
    const stream = await subscribe(url, listOf('a'));
    await stream.next();
    stream.close();
    await expect.poll(() => figure('caseway_live_streams')).toBe(0);
    seen.length = 0;

    await pass(MINUTE_MS);

    expect(seen).toEqual([]);
    expect(await figure('caseway_live_operations')).toBe(0);
  });

  it('that fail come less often, and after a minute the result is marked as stale until it is confirmed', async () => {
    const { url, seen, state, pass } = await startLists();
    const stream = await subscribe(url, listOf('a'));
    const first = await stream.next();
    seen.length = 0;

    state.failing = { status: 503, body: {} };
    await pass(2 * MINUTE_MS);
    // Each poll has a second attempt.
    expect(seen.length).toBeLessThanOrEqual(2 * 4);
    const stale = await stream.next();
    expect(stale).toMatchObject({
      ...first,
      extensions: { stale: [{ ageMs: expect.any(Number) }] },
    });
    state.failing = undefined;
    await pass(2 * MINUTE_MS);

    expect(await stream.next()).toEqual(first);
  });

  it.each([
    ['a 429', { status: 429, headers: { 'retry-after': '0' }, body: {} }],
    [
      'REQUEST_LIMIT_EXCEEDED',
      { status: 403, headers: { 'retry-after': '0' }, body: REQUEST_LIMIT_EXCEEDED },
    ],
  ])('go on after %s in the middle', async (_what, failing) => {
    const { url, state, change, pass } = await startLists();
    const stream = await subscribe(url, listOf('a'));
    await stream.next();

    state.failing = failing;
    change('a', 3);
    await pass(10_000);
    state.failing = undefined;
    await pass(20_000);

    expect(await stream.next()).toEqual({ data: { instances: { totalCount: 3 } } });
  });

  it('after writes come at most once a second, and see the last one', async () => {
    const { url, seen, pass, change, remove } = await startLists();
    const stream = await subscribe(url, listOf('a'));
    await stream.next();
    seen.length = 0;

    for (const index of times(10)) {
      change('a', 2 + index);
      await remove('a');
      await pass(100);
    }
    await pass(2_000);

    expect(seen.filter(({ method }) => method === 'GET').length).toBeLessThanOrEqual(6);
    expect(await stream.next()).toEqual({ data: { instances: { totalCount: 2 } } });
    expect(stream.text()).toContain('"totalCount":11');
  });
});
