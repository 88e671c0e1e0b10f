import { describe, expect, it } from 'vitest';

import { type ScriptedAnswer, scriptPlatform } from '../../support/scripted-platform.ts';
import {
  listOf,
  listResult,
  MINUTE_MS,
  resultsOf,
  startBoard,
  startByClock,
  startLists,
  subscribe,
  times,
} from './support.ts';

const BOARD =
  'subscription { instances(formId: "a") { totalCount nodes { reference(field: "next") { value(field: "name") } } } }';

/** A board whose reference fails with a status, while there is one. */
async function startFailing() {
  const state: { failing: number | undefined } = { failing: undefined };
  const gateway = await startBoard((idInstance) =>
    state.failing
      ? { status: state.failing, body: {} }
      : { body: { idInstance, values: { name: 'Seven' } } },
  );
  return { ...gateway, state };
}

describe('a run after the first that the platform refuses', () => {
  it.each<[string, ScriptedAnswer]>([
    ['a 404', { status: 404, body: {} }],
    ['a 429', { status: 429, headers: { 'retry-after': '0' }, body: {} }],
    [
      'REQUEST_LIMIT_EXCEEDED',
      {
        status: 403,
        headers: { 'retry-after': '0' },
        body: { errorCode: 'REQUEST_LIMIT_EXCEEDED' },
      },
    ],
  ])('keeps the last result and the watched resources, with %s', async (_what, failing) => {
    const { state, change, pass, watch } = await startLists();
    const stream = await watch();

    state.failing = failing;
    await pass(10_000);
    state.failing = undefined;
    for (const total of [2, 3]) {
      change('a', total);
      await pass(20_000);
      expect(await stream.next()).toEqual(listResult(total));
    }
    expect(stream.text()).not.toContain('event: complete');
  });

  it('is shown once it has lasted for a minute, and the result again once it is over', async () => {
    const { state, pass, watch } = await startLists();
    const stream = await watch();

    state.failing = { status: 403, body: {} };
    await pass(5 * MINUTE_MS);
    const results = resultsOf(stream.text()).slice(1);
    expect(results).toMatchObject([
      { errors: [{ extensions: { code: 'FORBIDDEN' } }], data: { instances: null } },
    ]);
    state.failing = undefined;
    await pass(2 * MINUTE_MS);

    await stream.next();
    expect(await stream.next()).toEqual(stream.first);
  });

  it('completes the stream of a client that comes meanwhile, and no other', async () => {
    const { url, state, pass, figure, watch } = await startLists();
    const stream = await watch();

    state.failing = { status: 403, body: {} };
    await pass(6_000);
    const late = await subscribe(url, listOf('a'));

    expect(await late.ended).toMatch(
      /^:\n\nevent: next\ndata: .*"code":"FORBIDDEN".*\n\nevent: complete\ndata:\n\n$/,
    );
    expect(stream.text()).not.toContain('FORBIDDEN');
    expect(await figure('caseway_live_streams')).toBe(1);
  });

  it('shows the part that the platform gives, and the rest once it does', async () => {
    const { board, state, pass, watch } = await startFailing();
    const stream = await watch(BOARD);
    const nodesOf = (total: number, reference: unknown) => times(total).map(() => ({ reference }));
    const seven = { value: 'Seven' };
    expect(stream.first.data.instances.nodes).toEqual(nodesOf(1, seven));

    board.rows = 2;
    state.failing = 403;
    // What rows refer to is polled less often.
    await pass(25_000);
    expect((await stream.next()).data.instances.nodes).toEqual(nodesOf(2, seven));
    const partial = await stream.next();
    expect(partial.data.instances.nodes).toEqual(nodesOf(2, null));
    // Without the id of a request: a new client shares the result, and an unchanged result is not
    // sent again.
    expect(partial.errors[0].extensions).toEqual({
      code: 'FORBIDDEN',
      retryable: false,
      upstream: expect.anything(),
    });
    const late = await watch(BOARD);
    expect(late.first).toEqual(partial);
    late.close();
    state.failing = undefined;
    await pass(10_000);

    expect(await stream.next()).toEqual({
      data: { instances: { totalCount: 2, nodes: nodesOf(2, seven) } },
    });
  });
});

describe('a part that the platform', () => {
  it.each([
    ['refuses for long', 403, 5 * MINUTE_MS],
    ['has failed to give from the beginning', 500, 0],
  ])('%s does not keep what changes beside it from being shown', async (_what, status, ms) => {
    const { board, state, pass, watch } = await startFailing();
    state.failing = status;
    const stream = await watch(BOARD);
    expect(stream.first.data.instances.totalCount).toBe(1);

    await pass(ms);
    board.rows = 2;
    await pass(6_000);

    expect((await stream.next()).data.instances.totalCount).toBe(2);
  });

  it('fails to give keeps the last result for a minute, and then is null beside what changes', async () => {
    const { board, state, pass, watch } = await startFailing();
    const stream = await watch(BOARD);
    /** Lets time pass until the last result is another one. */
    const last = async () => {
      await pass(5_000);
      return resultsOf(stream.text()).at(-1);
    };
    const shown = () => expect.poll(last, { interval: 1 });

    board.rows = 2;
    state.failing = 500;
    const nodes = [{ reference: null }, { reference: null }];
    await shown().toMatchObject({
      errors: [{}, {}],
      data: { instances: { totalCount: 2, nodes } },
    });
    board.rows = 3;
    await shown().toMatchObject(listResult(3));
    state.failing = undefined;

    const whole = times(3).map(() => ({ reference: { value: 'Seven' } }));
    await shown().toEqual({ data: { instances: { totalCount: 3, nodes: whole } } });
  });
});

it('a client that comes while the platform does not respond gets the shared result, marked as stale with its age', async () => {
  const { state, pass, watch } = await startLists();
  const { first } = await watch();

  state.failing = { status: 500, body: {} };
  await pass(90_000);
  const late = (await watch()).first;
  await pass(10_000);
  const later = (await watch()).first;

  expect(late).toEqual({ ...first, extensions: { stale: [{ ageMs: expect.any(Number) }] } });
  expect(late.extensions.stale[0].ageMs).toBeGreaterThan(60_000);
  expect(later.extensions.stale[0].ageMs).toBeGreaterThan(30_000);
});

it.each([
  ['does not respond', 503],
  ['refuses the gateway’s own credentials', 401],
])(
  'a platform that %s is polled less often, and the result is stale after a minute until it is confirmed',
  async (_what, status) => {
    const { seen, state, pass, watch } = await startLists();
    const stream = await watch();
    seen.length = 0;

    state.failing = { status, body: {} };
    await pass(2 * MINUTE_MS);
    // Each poll has a second attempt.
    expect(seen.length).toBeLessThanOrEqual(2 * 4);
    expect(await stream.next()).toEqual({
      ...stream.first,
      extensions: { stale: [{ ageMs: expect.any(Number) }] },
    });
    state.failing = undefined;
    await pass(2 * MINUTE_MS);

    expect(await stream.next()).toEqual(stream.first);
  },
);

it('a newcomer reads that the platform refuses the gateway’s own credentials, and the result once it is over', async () => {
  const { state, pass, watch } = await startLists();
  state.failing = { status: 401, body: {} };
  const stream = await watch();
  expect(stream.first.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAUTHENTICATED' } }]);

  state.failing = undefined;
  await pass(MINUTE_MS);

  expect(await stream.next()).toEqual(listResult(1));
});

it('a failed run after a change marks the last result as stale at once', async () => {
  const { state, change, pass, remove, watch } = await startLists();
  const stream = await watch();

  change('a', 2);
  await remove();
  state.failing = { status: 403, body: {} };
  await pass(1_000);
  expect(await stream.next()).toMatchObject({ ...stream.first, extensions: { stale: [{}] } });
  state.failing = undefined;
  await pass(10_000);

  expect(await stream.next()).toEqual(listResult(2));
});

it('a silent platform makes a result of several reads stale once, and its digits stay', async () => {
  let isSilent = false;
  const platform = await scriptPlatform(({ url }) => {
    if (isSilent) return { status: 503, body: {} };
    const items = '[{"idInstance": 1, "values": {"next": 7, "amount": 12345678901234567890.10}}]';
    if (url.includes('/instances')) return { body: `{"items": ${items}, "total": 1}` };
    const fields = [{ name: 'next', type: 'reference', reference: 'b' }];
    return { body: { idForm: 'a', name: 'A', fields } };
  });
  const { watch, pass } = await startByClock(platform.env);
  const query = 'instances(formId: "a") { nodes { values reference(field: "next") { values } } }';
  const stream = await watch(`subscription { ${query} }`);
  const readLast = () => stream.text().replaceAll(/^.*event: next\n/gs, '');
  const before = readLast();
  expect(before).toContain('12345678901234567890.10');

  isSilent = true;
  await pass(5 * MINUTE_MS);
  await stream.next();

  expect(resultsOf(stream.text())).toHaveLength(2);
  expect(readLast()).toContain(before.trim().slice(0, -1));
  expect(readLast()).toContain('"extensions":{"stale":[');
});
