import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../../support/gateway.ts';
import { limits } from '../../support/limits.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { CREATE_INSTANCES, LOST, startLedger } from './support.ts';

const ALL = 100;
const ITEM = 57;
const REFUSED = { status: 400, body: { message: 'No.' } };
const LIMIT = {
  status: 403,
  headers: { 'retry-after': '0' },
  body: { message: 'Too many.', errorCode: 'REQUEST_LIMIT_EXCEEDED' },
};

describe('a bulk write', () => {
  it('sends four at a time', async () => {
    const { create, state } = await startLedger();
    let running = 0;
    let most = 0;
    state.answer = async () => {
      most = Math.max(most, ++running);
      await sleep(5);
      running--;
      return undefined;
    };

    await create(20);

    expect(most).toBe(4);
  });

  it('goes on where item 57 of 100 fails, and sends it again with the same key', async () => {
    const { create, state, made } = await startLedger();
    state.answer = (row) => (row === ITEM ? REFUSED : undefined);

    const first = await create(ALL, { idempotencyKey: 'k' });
    state.answer = () => undefined;
    const second = await create(ALL, { idempotencyKey: 'k' });

    expect(first.outcome).toBe('99 done,1 failed');
    expect(first.results[ITEM]).toMatchObject({
      status: 'FAILED',
      error: { code: 'BAD_USER_INPUT', message: 'No.', retryable: false },
    });
    expect(second.outcome).toBe('100 done');
    expect(state.sent).toBe(101);
    expect(second.results.map(({ instance }) => instance?.instanceId)).toEqual(
      Array.from({ length: ALL }, (_, row) => String(row + 1)),
    );
    expect([...made.values()].every((times) => times === 1)).toBe(true);
  });

  it('stops after a failure of item 57 of 100 with onError STOP, except for running calls', async () => {
    const { create, state, made } = await startLedger();
    state.answer = (row) => (row === ITEM ? REFUSED : undefined);

    const { outcome, results } = await create(ALL, { onError: 'STOP' });

    expect(outcome).toMatch(/^\d+ done,1 failed,\d+ notSent$/);
    expect(results[ITEM]?.status).toBe('FAILED');
    expect(results.slice(ITEM + 4).map(({ status, error }) => [status, error?.code])).toEqual(
      Array(ALL - ITEM - 4).fill(['NOT_SENT', 'BULK_STOPPED']),
    );
    expect(outcome).toMatch(`${made.size} done,`);
  });

  it('does not know what became of item 57 whose answer is lost, and never sends it again', async () => {
    const { create, state, made } = await startLedger();
    state.answer = (row) => (row === ITEM ? LOST : undefined);

    const first = await create(ALL, { idempotencyKey: 'k' });
    state.answer = () => undefined;
    const second = await create(ALL, { idempotencyKey: 'k' });

    for (const { outcome, results } of [first, second]) {
      expect(outcome).toBe('99 done,1 unknown');
      expect(results[ITEM]).toMatchObject({
        status: 'UNKNOWN',
        error: { code: 'OUTCOME_UNKNOWN', retryable: false },
      });
    }
    expect(made.get(ITEM)).toBe(1);
    expect(state.sent).toBe(100);
  });

  it('sends nothing more when the platform’s limit is met, and 70 of 100 when 30 are done', async () => {
    const { create, state, made } = await startLedger();
    state.answer = (_row, sent) => (sent > 30 ? LIMIT : undefined);

    const first = await create(ALL, { idempotencyKey: 'k' });
    const refused = state.sent - 30;
    state.answer = () => undefined;
    const second = await create(ALL, { idempotencyKey: 'k' });

    expect(first.outcome).toBe('30 done,70 notSent');
    expect(first.results.find(({ status }) => status === 'NOT_SENT')?.error).toMatchObject({
      code: 'RATE_LIMITED',
      retryable: true,
      retryAfterMs: expect.any(Number),
    });
    expect(refused).toBeLessThanOrEqual(4);
    expect(second.outcome).toBe('100 done');
    expect(state.sent).toBe(30 + refused + 70);
    expect([...made.values()].every((times) => times === 1)).toBe(true);
  });

  it('sends no more calls than the budget allows, and returns when the rest may be sent', async () => {
    const { create, state } = await startLedger({
      UPSTREAM_CALLS_PER_MINUTE: '240',
      LIVE_INTERVAL_MS: '0',
    });

    const { outcome, results } = await create(ALL);

    // The number of calls that may be made at once, of which other callers have shares.
    expect(state.sent).toBeGreaterThan(4);
    expect(state.sent).toBeLessThan(40);
    expect(outcome).toBe(`${state.sent} done,${ALL - state.sent} notSent`);
    expect(results.at(-1)?.error).toMatchObject({ code: 'RATE_LIMITED' });
    expect(results.at(-1)?.error?.retryAfterMs).toBeLessThanOrEqual(10_000);
  });

  it('ends at the deadline, and lists the items written by then', async () => {
    const { create, state, made } = await startLedger({ ...limits({ callsInARow: 0.1 }) });
    state.answer = (_row, sent) => (sent > 20 ? sleep(1_300).then(() => undefined) : undefined);

    const { outcome, results } = await create(ALL);

    expect(outcome).toBe(`${made.size} done,${ALL - made.size} notSent`);
    expect(made.size).toBeLessThanOrEqual(24);
    expect(results.at(-1)?.error).toMatchObject({
      code: 'UPSTREAM_TIMEOUT',
      retryable: true,
      retryAfterMs: 1_000,
    });
  });

  it('ends when the client leaves, and goes on when it comes again with the same key', async () => {
    const { create, state, made, gateway } = await startLedger();
    const leaving = new AbortController();
    state.answer = async (_row, sent) => {
      if (sent === 30) leaving.abort();
      if (sent >= 30) await sleep(50);
      return undefined;
    };
    const items = Array.from({ length: ALL }, (_, row) => ({ values: { row } }));
    const input = { formId: 'f', items, idempotencyKey: 'k' };
    const left = fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: CREATE_INSTANCES, variables: { input } }),
      signal: leaving.signal,
    });
    await expect(left).rejects.toThrow('aborted');
    await expect.poll(() => made.size).toBeGreaterThanOrEqual(30);
    state.answer = () => undefined;

    const { outcome } = await create(ALL, { idempotencyKey: 'k' });

    expect(outcome).toBe('100 done');
    expect(state.sent).toBe(100);
    expect(made.size).toBe(100);
  });

  it('does each change once for two equal calls at the same time', async () => {
    const { create, state } = await startLedger();

    const answers = await Promise.all([
      create(20, { idempotencyKey: 'k' }),
      create(20, { idempotencyKey: 'k' }),
    ]);

    for (const { outcome } of answers) expect(outcome).toBe('20 done');
    expect(state.sent).toBe(20);
  });

  it('takes an item with another change under the same key for another mutation', async () => {
    const { create, state } = await startLedger();
    await create(2, { idempotencyKey: 'k' });

    const items = [{ values: { row: 0 } }, { values: { row: 5 } }];
    const { results } = await create(2, { idempotencyKey: 'k', items });

    const message = expect.stringContaining('send the items of that call in their order');
    expect(results).toMatchObject([
      { status: 'DONE' },
      { status: 'FAILED', error: { code: 'BAD_USER_INPUT', message } },
    ]);
    expect(state.sent).toBe(2);
  });

  it('does not share keys with mutations of one instance', async () => {
    const { create, state, gateway } = await startLedger();
    await create(1, { idempotencyKey: 'k' });

    const { data } = await gateway.execute(`mutation {
      createInstance(input: { formId: "f", values: { row: 7 }, idempotencyKey: "k" }) { instance { instanceId } }
    }`);

    expect(data.createInstance.instance.instanceId).toBe('8');
    expect(state.sent).toBe(2);
  });

  it('is not sent with a key that is too long', async () => {
    const { create, state } = await startLedger();

    const { errors } = await create(1, { idempotencyKey: 'k'.repeat(257) });

    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(state.sent).toBe(0);
  });

  it('sends nothing if the platform cannot be reached, and returns when to try again', async () => {
    const { create, state, closePlatform } = await startLedger();
    closePlatform();

    const { outcome, results } = await create(ALL);

    expect(outcome).toBe(`${ALL} notSent`);
    for (const { error } of results) {
      expect(error).toMatchObject({
        code: 'UPSTREAM_UNAVAILABLE',
        retryable: true,
        retryAfterMs: expect.any(Number),
      });
    }
    expect(state.sent).toBe(0);
  });

  it('ends when the gateway stops, and lists the items written by then', async () => {
    const { create, state, gateway } = await startLedger(limits({ shutdownMs: 100 }));
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
    onTestFinished(() => release(undefined));
    state.answer = (_row, sent) => {
      if (sent === 23) reach();
      return sent < 20 ? undefined : held;
    };

    const answer = create(ALL);
    await reached;
    await gateway.close();

    const { outcome, results } = await answer;
    expect(outcome).toBe(`19 done,4 unknown,${ALL - 23} notSent`);
    expect(results.at(-1)?.error).toMatchObject({
      code: 'SHUTTING_DOWN',
      retryable: true,
      retryAfterMs: 1_000,
    });
  });

  it('stops when the calls of its operation are used up, and sends the rest with the same key', async () => {
    let made = 0;
    const platform = await scriptPlatform(({ method, url }) => {
      if (method === 'POST') return { status: 201, body: { idInstance: ++made } };
      // Pages of one record, where the plan counts on one page.
      const [, offset = 0] = /offset=(\d+)/.exec(url) ?? [];
      return {
        headers: { 'x-total-count': '3' },
        body: [{ idInstance: Number(offset) + 1, values: {} }],
      };
    });
    const gateway = await startGateway({ ...platform.env, COST_MAX_CALLS: '8' });
    const items = '[{ values: {} }, { values: {} }, { values: {} }]';
    const bulk = (key: string) => `
      ${key}: createInstances(input: { formId: "f", items: ${items}, idempotencyKey: "${key}" }) {
        done failed notSent
        results { status instance { values } error { code retryable retryAfterMs } }
      }`;
    const run = async () => (await gateway.execute(`mutation { ${bulk('a')} ${bulk('b')} }`)).data;

    const first = await run();
    const second = await run();

    expect(first.a).toMatchObject({ done: 3 });
    expect(first.b).toMatchObject({ done: 2, failed: 0, notSent: 1 });
    expect(first.b.results.at(-1)).toEqual({
      status: 'NOT_SENT',
      instance: null,
      error: { code: 'COST_EXCEEDED', retryable: false, retryAfterMs: null },
    });
    expect(second.b).toMatchObject({ done: 3 });
    expect(made).toBe(6);
  });
});
