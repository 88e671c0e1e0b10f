import { describe, expect, it } from 'vitest';

import { counted, isPassed, slopePerMinute, timed } from '../../bench/benchmark.ts';
import { createResponseReader } from '../../bench/load/http-client.ts';
import { createRequestWriter, graphqlRequest } from '../../bench/load/requests.ts';
import { createTally } from '../../bench/load/tally.ts';
import { judge, type Sample } from '../../bench/speed/index.ts';
import { warm } from '../../bench/speed/warm-up.ts';

describe('benchmark figures', () => {
  it('fail a short run only where counts decide', () => {
    const late = [timed('p99', 4, 'ms', { atMost: 3 })];
    const lost = [counted('lost', 1, '', { atMost: 0 })];

    expect([isPassed(late, true), isPassed(late, false)]).toEqual([true, false]);
    expect([isPassed(lost, true), isPassed(lost, false)]).toEqual([false, false]);
  });

  it('compute a slope in units per minute', () => {
    const points = [0, 1, 2, 3].map((second) => [second * 1_000, 100 + second] as const);

    expect(slopePerMinute(points)).toBeCloseTo(60);
  });
});

describe('the load generator', () => {
  it('counts a response as good only when it is on time and has no errors', () => {
    const tally = createTally(1_000, true);
    const add = (
      name: string,
      tookMs: number,
      status: number,
      body: string,
      hasRetryAfter = false,
    ) => tally.add(name, 0, tookMs, { status, body, hasRetryAfter, isLast: false });
    const errorOf = (code: string) => `{"errors":[{"extensions":{"code":"${code}"}}]}`;
    add('good', 20, 200, '{"data":{}}');
    add('late', 1_001, 200, '{"data":{}}');
    add('refused', 1, 503, errorOf('OVERLOADED'), true);
    add('errored', 1, 200, errorOf('NOT_FOUND'));
    add('broken', 1, 503, '');
    tally.add('reset', 0, 1, 'reset');

    const { counts, outcomes, requests, p99Ms } = tally.report();

    expect(counts).toMatchObject({ good: 1, late: 1, refused: 1, errored: 2, reset: 1 });
    expect(outcomes).toMatchObject({
      good: 'good',
      refused: 'OVERLOADED',
      errored: 'NOT_FOUND',
      broken: '503',
    });
    expect([requests, p99Ms]).toEqual([6, 20]);
  });

  it('parses responses that arrive byte by byte, with Content-Length or chunked', () => {
    const refusal =
      'HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}';
    const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n';
    const read = createResponseReader();

    const responses = [...(refusal + chunked)].flatMap((byte) => read(Buffer.from(byte)) ?? []);

    expect(responses).toMatchObject([
      { status: 503, hasRetryAfter: true, isLast: true, body: '{}' },
      { status: 200, hasRetryAfter: false, isLast: false },
    ]);
  });

  it('gives each request unique arguments and a unique id', () => {
    const template = graphqlRequest(
      '{ a }',
      '{"form":"thing-<n>","page":<n+1>,"pair":<n/2>,"id":"<id>"}',
      { 'x-key': 'k-<n>' },
    );
    const write = createRequestWriter(template, 'r', 10_006);
    const [first, second] = [write(), write()].map(({ text }) => text.split('\r\n\r\n'));

    expect(first?.[0]).toContain(`x-key: k-10006\r\ncontent-length: ${first?.[1]?.length}`);
    expect(JSON.parse(first?.[1] ?? '').variables).toEqual({
      form: 'thing-10006',
      page: 10_007,
      pair: 5_003,
      id: 'r-10006',
    });
    expect(JSON.parse(second?.[1] ?? '').variables).toMatchObject({ page: 10_008, pair: 5_003 });
  });
});

describe('the speed comparison', () => {
  const sample = (name: string, cpuMs: Sample['cpuMs'], rssMb = 200): Sample => ({
    server: { name, title: name },
    cpuMs,
    calls: {},
    warmed: {},
    rssMb,
    failed: 0,
    otherLoad: 0,
  });

  it('compares the medians of the processes, of servers and workloads that took part', () => {
    const fairRow = [100, 400, 200].map((cpuMs) =>
      sample('mercurius-duties', { W1: cpuMs, W2: 10 }),
    );
    const before = sample('before', { W1: 300 });
    const ours = [150, 100, 900].map((cpuMs) => sample('caseway', { W1: cpuMs }));

    expect(judge([...ours, ...fairRow, before])).toEqual([
      timed('W1: caseway / mercurius-duties', 0.75, '×', { atMost: 0.68 }),
      timed('W1: caseway / before', 0.5, '×'),
    ]);
  });

  it('has no verdict if other programs kept the machine busy', () => {
    const busy = { ...sample('caseway', { W1: 150 }), otherLoad: 0.5 };

    expect(judge([busy, sample('mercurius-duties', { W1: 100 })])).toEqual([
      timed('W1: caseway / mercurius-duties', 1.5, '×'),
    ]);
  });

  it('is warm after three equal rounds and the least number of requests', async () => {
    const costs = [9, 5, 3, 3.05, 3.08, 1];
    const asked: number[] = [];
    const runRound = async (minRequests: number) => {
      asked.push(minRequests);
      return { requests: Math.max(minRequests, 10), cpuMs: costs.shift() ?? 0 };
    };
    const rule = { minRequests: { W2: 20_000 }, equalRounds: 3, atMost: 0.03, maxRounds: 9 };

    expect(await warm('W2', rule, runRound)).toEqual({ requests: 20_040, isSteady: true });
    expect(asked).toEqual([20_000, 0, 0, 0, 0]);
  });

  it('stops a warm-up that never becomes steady', async () => {
    let cpuMs = 1;
    const runRound = async () => ({ requests: 1, cpuMs: cpuMs++ });
    const rule = { minRequests: {}, equalRounds: 3, atMost: 0.03, maxRounds: 4 };

    expect(await warm('W1', rule, runRound)).toEqual({ requests: 4, isSteady: false });
  });

  it('judges the memory only of processes that were asked every workload', () => {
    const all = { W1: 1, W2: 1, W3: 1, W4: 1, 'W1-equal': 1 };
    const ours = [230, 300, 250].map((rssMb) => sample('caseway', all, rssMb));

    expect(judge(ours)).toEqual([timed('RSS after all workloads', 250, 'MB', { atMost: 200 })]);
    expect(judge([sample('caseway', { W1: 1 })])).toEqual([]);
  });
});
