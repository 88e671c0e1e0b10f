import { describe, expect, it } from 'vitest';

import { postGraphql } from '../../support/gateway.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { listOf, startByClock, startListPlatform, subscribe } from './support.ts';

const DELETE = 'mutation { deleteInstance(input: { formId: "a", instanceId: 1 }) { deletedId } }';
const BOARD = `subscription @every(seconds: 20) {
  instances(formId: "a", first: 1) { totalCount nodes { reference(field: "next") { value(field: "name") } } }
}`;
const boardOf = (total: number, name: string) => ({
  data: { instances: { totalCount: total, nodes: [{ reference: { value: name } }] } },
});

/** A platform with a list whose one row refers to a record. That one may be held back. */
async function startSlowPlatform() {
  const state = { total: 1, next: 7, held: undefined as PromiseWithResolvers<void> | undefined };
  let onHeld = () => {};
  const platform = await scriptPlatform(async ({ method, url }) => {
    if (method === 'DELETE') return { status: 204, body: '' };
    const [, record] = /\/forms\/b\/instances\/(\d+)/.exec(url) ?? [];
    if (record === '7' && state.held) {
      onHeld();
      await state.held.promise;
    }
    if (record) return { body: { idInstance: Number(record), values: { name: `Name ${record}` } } };
    if (url.includes('/instances'))
      return { body: { items: [{ idInstance: 1, values: { next: state.next } }], total: state.total } };
    return { body: { idForm: 'a', name: 'A', fields: [{ name: 'next', type: 'reference', reference: 'b' }] } };
  });
  const gateway = await startByClock(platform.env);
  /** Holds the record back. @returns what resolves when somebody waits for it. */
  const hold = () => {
    state.held = Promise.withResolvers();
    return new Promise<void>((resolve) => {
      onHeld = resolve;
    });
  };
  return { ...gateway, state, hold };
}

describe('the first run of a newcomer', () => {
  it('that is slow sets nobody back to an older result, itself included', async () => {
    const { url, state, hold, pass, figure } = await startSlowPlatform();
    const stream = await subscribe(url, BOARD);
    expect(await stream.next()).toEqual(boardOf(1, 'Name 7'));
    await pass(10_000);

    const isHeld = hold();
    const opening = subscribe(url, BOARD);
    await isHeld;
    Object.assign(state, { total: 2, next: 8 });
    await pass(11_000);
    expect(await stream.next()).toEqual(boardOf(2, 'Name 8'));
    state.held?.resolve();

    expect(await (await opening).next()).toEqual(boardOf(2, 'Name 8'));
    expect(await figure('caseway_live_operations')).toBe(1);
    expect(await figure('caseway_live_results_total')).toBe(3);
  });

  it('during which something was written is followed by another run at once', async () => {
    const { url, state, hold, pass } = await startSlowPlatform();
    const isHeld = hold();
    const opening = subscribe(url, BOARD);
    await isHeld;
    state.total = 2;
    await postGraphql(url, JSON.stringify({ query: DELETE }));
    state.held?.resolve();
    const stream = await opening;
    expect(await stream.next()).toEqual(boardOf(1, 'Name 7'));

    await pass(1_000);

    expect(await stream.next()).toEqual(boardOf(2, 'Name 7'));
  });
});

describe('the first result of a newcomer', () => {
  it('is that of others where it was confirmed within LIVE_INTERVAL_MS, and else the present state', async () => {
    const platform = await startListPlatform();
    const { url, pass } = await startByClock(platform.env);
    const rare = listOf('a').replace('{', '@every(seconds: 60) {');
    const open = async () => (await (await subscribe(url, rare)).next()).data.instances.totalCount;
    expect(await open()).toBe(1);
    platform.seen.length = 0;

    await pass(4_000);
    expect(await open()).toBe(1);
    expect(platform.seen).toHaveLength(0);
    platform.change('a', 2);
    await pass(4_000);

    expect(await open()).toBe(2);
  });
});
