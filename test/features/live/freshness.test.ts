import { describe, expect, it } from 'vitest';

import { writeDialect } from '../../support/write-dialect.ts';
import { listOf, startBoard, startLists, subscribe } from './support.ts';

const BOARD = `subscription @every(seconds: 20) {
  instances(formId: "a", first: 1) { totalCount nodes { reference(field: "next") { value(field: "name") } } }
}`;
const boardOf = (total: number, name: string) => ({
  data: { instances: { totalCount: total, nodes: [{ reference: { value: name } }] } },
});

/** A board whose reference may be held back. */
async function startSlow() {
  let held: PromiseWithResolvers<void> | undefined;
  let onHeld = () => {};
  // A total of 1 on a page of one row counts the list.
  const env = { UPSTREAM_DIALECT: writeDialect({ list: { total: ['total'] } }) };
  const gateway = await startBoard(async (idInstance) => {
    onHeld();
    if (idInstance === 7) await held?.promise;
    return { body: { idInstance, values: { name: `Name ${idInstance}` } } };
  }, env);
  /** Holds it back. @returns what resolves when somebody waits for it. */
  const hold = () => {
    held = Promise.withResolvers();
    return new Promise<void>((resolve) => {
      onHeld = resolve;
    });
  };
  return { ...gateway, hold, release: () => held?.resolve() };
}

describe('the first run of a newcomer', () => {
  it('that is slow sends no client an older result, itself included', async () => {
    const { url, board, hold, release, pass, figure } = await startSlow();
    const stream = await subscribe(url, BOARD);
    expect(await stream.next()).toEqual(boardOf(1, 'Name 7'));
    await pass(10_000);

    const isHeld = hold();
    const opening = subscribe(url, BOARD);
    await isHeld;
    Object.assign(board, { rows: 2, next: 8 });
    await pass(11_000);
    expect(await stream.next()).toEqual(boardOf(2, 'Name 8'));
    release();

    expect(await (await opening).next()).toEqual(boardOf(2, 'Name 8'));
    expect(await figure('caseway_live_operations')).toBe(1);
    expect(await figure('caseway_live_results_total')).toBe(3);
  });

  it('during which something was written is followed by another run at once', async () => {
    const { url, board, hold, release, pass, remove } = await startSlow();
    const isHeld = hold();
    const opening = subscribe(url, BOARD);
    await isHeld;
    board.rows = 2;
    await remove('a');
    release();
    const stream = await opening;
    expect(await stream.next()).toEqual(boardOf(1, 'Name 7'));

    await pass(1_000);

    expect(await stream.next()).toEqual(boardOf(2, 'Name 7'));
  });
});

it('a new client gets the shared result if it was confirmed within LIVE_INTERVAL_MS, and else the present state', async () => {
  const { url, pass, change, seen } = await startLists();
  const rare = listOf('a').replace('{', '@every(seconds: 60) {');
  const open = async () => (await (await subscribe(url, rare)).next()).data.instances.totalCount;
  expect(await open()).toBe(1);
  seen.length = 0;

  await pass(4_000);
  expect(await open()).toBe(1);
  expect(seen).toHaveLength(0);
  change('a', 2);
  await pass(4_000);

  expect(await open()).toBe(2);
});
