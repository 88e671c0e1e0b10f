import { describe, expect, it } from 'vitest';

import { UpstreamError } from '../../src/core/errors.ts';
import { Work } from '../../src/core/work.ts';
import { createRetry } from '../../src/upstream/resilience.ts';
import type { Answerer, Reply } from './support/http-server.ts';
import { CREDENTIALS, failureOf, openFactory, openPlatform, READ, recordOf } from './support/open.ts';
import { inWords } from './support/operations.ts';
import { answerWith, startRawServer } from './support/raw-server.ts';

const FORM: Reply = { status: 200, body: { idForm: 'a' } };
const BROKEN: Reply = { status: 500 };

describe('a read', () => {
  it('has half of the deadline for its first attempt, and the rest for the second', async () => {
    const { url, heads } = await startRawServer((socket, count) => {
      if (count === 1) answerWith(socket, '{"access_token":"t"}');
    });
    const { forms } = inWords(openFactory(url, { timeoutMs: 1_500 }).forService(CREDENTIALS.B));
    const startedMs = performance.now();

    const error = await failureOf(forms.read('a'));

    expect(error.failure).toBe('timeout');
    expect(heads).toHaveLength(3);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });

  it('has the whole deadline while no retry is left', async () => {
    const answers: Answerer[] = Array(21).fill(() => BROKEN);
    const slow = () => new Promise<Reply>((resolve) => setTimeout(resolve, 1_000, FORM));
    const { upstream } = await openPlatform((received) => (answers.pop() ?? slow)(received), { timeoutMs: 1_500 });
    for (let n = 0; n < 11; n++) await failureOf(upstream.forms.read('a'));

    expect((await recordOf(upstream.forms.read('a')))?.formId).toBe('a');
  });

  it('begins its second try as one that has not met the host, which may time out in the queue', async () => {
    const seen: (number | undefined)[] = [];
    const send = createRetry(
      10_000,
      () => false,
    )((call) => {
      seen.push(call.startedAtMs);
      call.startedAtMs = performance.now();
      return Promise.reject(new UpstreamError('malformed', { operation: call.operation }));
    });

    await failureOf(send({ ...READ, headers: {}, endsAtMs: 0 }));

    expect(seen).toEqual([undefined, undefined]);
  });

  it('is not retried after its caller was cancelled', async () => {
    const leaver = new AbortController();
    const { upstream, requests } = await openPlatform(() => {
      leaver.abort();
      return BROKEN;
    });

    expect((await failureOf(upstream.forms.read('a', { work: new Work({ signal: leaver.signal }) }))).failure).toBe(
      'cancelled',
    );
    expect(requests).toHaveLength(1);
  });
});
