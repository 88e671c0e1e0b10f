import { describe, expect, it } from 'vitest';

import { scriptPlatform } from '../../support/scripted-platform.ts';
import {
  listOf,
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
  it('keeps the last result and the watched resources', async () => {
    const { url, state, change, pass } = await startLists();
    const stream = await subscribe(url, listOf('a'));
    await stream.next();

    state.failing = { status: 404, body: {} };
    await pass(6_000);
    state.failing = undefined;
    change('a', 2);
    await pass(10_000);

    expect(await stream.next()).toEqual({ data: { instances: { totalCount: 2 } } });
    change('a', 3);
    await pass(10_000);
    expect(await stream.next()).toEqual({ data: { instances: { totalCount: 3 } } });
    expect(stream.text()).not.toContain('event: complete');
  });

  it('is shown once it has lasted for a minute, and the result again once it is over', async () => {
    const { url, state, pass } = await startLists();
    const stream = await subscribe(url, listOf('a'));
    const first = await stream.next();

    state.failing = { status: 403, body: {} };
    await pass(5 * MINUTE_MS);
    const results = resultsOf(stream.text()).slice(1);
    expect(results).toMatchObject([
      { errors: [{ extensions: { code: 'FORBIDDEN' } }], data: { instances: null } },
    ]);
    state.failing = undefined;
    await pass(2 * MINUTE_MS);

    await stream.next();
    expect(await stream.next()).toEqual(first);
  });

  it('completes the stream of a client that comes meanwhile, and no other', async () => {
    const { url, state, pass, figure } = await startLists();
    const stream = await subscribe(url, listOf('a'));
    await stream.next();

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
    const { url, board, state, pass } = await startFailing();
    const stream = await subscribe(url, BOARD);
    const nodesOf = (total: number, reference: unknown) => times(total).map(() => ({ reference }));
    const seven = { value: 'Seven' };
    expect((await stream.next()).data.instances.nodes).toEqual(nodesOf(1, seven));

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
    const late = await subscribe(url, BOARD);
    expect(await late.next()).toEqual(partial);
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
    const { url, board, state, pass } = await startFailing();
    state.failing = status;
    const stream = await subscribe(url, BOARD);
    expect((await stream.next()).data.instances.totalCount).toBe(1);

    await pass(ms);
    board.rows = 2;
    await pass(6_000);

    expect((await stream.next()).data.instances.totalCount).toBe(2);
  });

  it('fails to give keeps the last result for a minute, and then is null beside what changes', async () => {
    const { url, board, state, pass } = await startFailing();
    const stream = await subscribe(url, BOARD);
    await stream.next();
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
    await shown().toMatchObject({ data: { instances: { totalCount: 3 } } });
    state.failing = undefined;

    const whole = times(3).map(() => ({ reference: { value: 'Seven' } }));
    await shown().toEqual({ data: { instances: { totalCount: 3, nodes: whole } } });
  });
});

it('a client that comes while the platform does not respond gets the shared result, marked as stale with its age', async () => {
  const { url, state, pass } = await startLists();
  const stream = await subscribe(url, listOf('a'));
  const first = await stream.next();

  state.failing = { status: 500, body: {} };
  await pass(90_000);
  const late = await subscribe(url, listOf('a'));
  const shown = await late.next();
  expect(shown).toEqual({
    ...first,
    extensions: { stale: [{ ageMs: expect.any(Number) }] },
  });
  expect(shown.extensions.stale[0].ageMs).toBeGreaterThan(60_000);

  await pass(10_000);
  const later = await subscribe(url, listOf('a'));
  expect((await later.next()).extensions.stale[0].ageMs).toBeGreaterThan(30_000);
});

describe('a platform that refuses the gateway’s own credentials for a while', () => {
  it('ends no stream: the last result stands, and is stale after a minute', async () => {
    const { url, state, change, pass } = await startLists();
    const stream = await subscribe(url, listOf('a'));
    const first = await stream.next();

    state.failing = { status: 401, body: {} };
    await pass(2 * MINUTE_MS);
    expect(await stream.next()).toMatchObject({ ...first, extensions: { stale: [{}] } });
    state.failing = undefined;
    change('a', 2);
    await pass(2 * MINUTE_MS);

    await expect
      .poll(() => resultsOf(stream.text()).at(-1))
      .toEqual({ data: { instances: { totalCount: 2 } } });
  });

  it('shows a newcomer the error, and the result once it is over', async () => {
    const { url, state, pass } = await startLists();
    state.failing = { status: 401, body: {} };
    const stream = await subscribe(url, listOf('a'));
    expect(await stream.next()).toMatchObject({
      errors: [{ extensions: { code: 'UPSTREAM_UNAUTHENTICATED' } }],
    });

    state.failing = undefined;
    await pass(MINUTE_MS);

    expect(await stream.next()).toEqual({ data: { instances: { totalCount: 1 } } });
  });
});

it('a failed run after a change marks the last result as stale at once', async () => {
  const { url, state, change, pass, remove } = await startLists();
  const stream = await subscribe(url, listOf('a'));
  const first = await stream.next();

  change('a', 2);
  await remove('a');
  state.failing = { status: 403, body: {} };
  await pass(1_000);
  expect(await stream.next()).toMatchObject({ ...first, extensions: { stale: [{}] } });
  state.failing = undefined;
  await pass(10_000);

  expect(await stream.next()).toEqual({ data: { instances: { totalCount: 2 } } });
});

it('a silent platform makes a result stale once, however much it was made of, and keeps its digits', async () => {
  const platform = await scriptPlatform(({ url }) => {
    if (state.failing) return state.failing;
    const items = '[{"idInstance": 1, "values": {"next": 7, "amount": 12345678901234567890.10}}]';
    if (url.includes('/instances')) return { body: `{"items": ${items}, "total": 1}` };
    const fields = [{ name: 'next', type: 'reference', reference: 'b' }];
    return { body: { idForm: 'a', name: 'A', fields } };
  });
  const state: { failing?: { readonly status: number; readonly body: object } } = {};
  const { url, pass } = await startByClock(platform.env);
  const query = 'instances(formId: "a") { nodes { values reference(field: "next") { values } } }';
  const stream = await subscribe(url, `subscription { ${query} }`);
  await stream.next();
  const text = () => stream.text().replaceAll(/^.*event: next\n/gs, '');
  const before = text();
  expect(before).toContain('12345678901234567890.10');

  state.failing = { status: 503, body: {} };
  await pass(5 * MINUTE_MS);
  await stream.next();

  expect(resultsOf(stream.text())).toHaveLength(2);
  expect(text()).toContain(before.trim().slice(0, -1));
  expect(text()).toMatch(/"extensions":\{"stale":\[/);
});
