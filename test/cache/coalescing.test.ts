import { describe, expect, it } from 'vitest';
import { scopeKey } from '../../src/cache/scope-key.ts';
import { ReceivedBytes, RequestState } from '../../src/core/request-state.ts';
import { openPlatform } from '../upstream/support/open.ts';
import { BODY, KEY, openScope, openSlow, openTimed, PAGE, toReads } from './support/open.ts';

const FORM = '/v1.0/forms/a';
const INSTANCE = '/v1.0/forms/a/instances/1';

/** An operation that may receive only ten bytes more. */
function almostFull({ signal } = new AbortController()): RequestState {
  const requestState = new RequestState({ signal, received: new ReceivedBytes() });
  requestState.received(32 * 1024 * 1024 - 10);
  return requestState;
}

describe('equal reads in flight', () => {
  it('count as one call for the first operation and as coalesced for the others', async () => {
    const { begin } = await openTimed();
    const [one, other] = [begin(), begin()];

    await Promise.all([one.instance(KEY), other.instance(KEY)]);

    expect(one.requestState).toMatchObject({ calls: 1, coalesced: 0 });
    expect(other.requestState).toMatchObject({ calls: 0, coalesced: 1 });
  });

  it('do not join one that started before a write and may miss it', async () => {
    const { begin, cache, requests } = await openTimed();
    const readAll = ({ form, instance }: ReturnType<typeof begin>) => [form('a'), instance(KEY)];

    const before = readAll(begin());
    cache.invalidate('everything');
    await Promise.all([...before, ...readAll(begin())]);

    // No write changes a form.
    expect(requests.map(({ target }) => target).sort()).toEqual([FORM, INSTANCE, INSTANCE]);
  });

  it('are made again for the others when the one that began them has received too much', async () => {
    const { begin, arrived, answer } = await openSlow();
    const exceeded = begin(almostFull()).form('a');
    const other = begin().form('a');
    await arrived(1);

    answer(0);

    await expect(exceeded).rejects.toMatchObject({ failure: 'too-large' });
    await arrived(2);
    answer(1);
    expect(await other).toMatchObject({ formId: 'a' });
  });

  it('count for the operation that began them also when they continue without it', async () => {
    const { begin, arrived, answer } = await openSlow();
    const leaver = new AbortController();
    const requestState = almostFull(leaver);
    const left = begin(requestState).form('a');
    const other = begin().form('a');
    await arrived(1);
    leaver.abort();
    await expect(left).rejects.toMatchObject({ failure: 'cancelled' });
    requestState.finish();

    answer(0);

    await arrived(2);
    answer(1);
    expect(await other).toMatchObject({ formId: 'a' });
  });

  it('are joined by another caller with the same cache only once they are sent', async () => {
    const token = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const { upstream, requests } = await openPlatform(
      () => answer.promise.then(() => ({ status: 200, body: BODY })),
      {
        issue: () =>
          token.promise.then(() => ({
            status: 200,
            body: { access_token: 'token', expires_in: 3600 },
          })),
        // Longer than the timeout of a request, so that no call is a second try.
        timeoutMs: 120_000,
      },
    );
    const { cache } = openScope(upstream);
    const readAs = (name: string) =>
      toReads(cache.reads(new RequestState({ caller: scopeKey(name) }))).form('a');

    const unsent = ['ann', 'ann', 'bob'].map(readAs);
    token.resolve();
    await expect.poll(() => requests.length).toBe(2);
    const sent = ['ann', 'bob', 'cat'].map(readAs);
    answer.resolve();
    await Promise.all([...unsent, ...sent]);

    expect(requests).toHaveLength(2);
  });
});

it('different reads are not coalesced: forms, instances, pages, rules', async () => {
  const { begin, requests } = await openTimed();
  const { form, forms, instance, instances, rule } = begin();

  await Promise.all([
    form('a'),
    form('b'),
    forms(PAGE),
    forms({ ...PAGE, pageNumber: 2 }),
    instance(KEY),
    instance({ formId: 'a', instanceId: '2' }),
    instances('a', PAGE),
    instances('b', PAGE),
    rule({ component: 'a-b', version: '1' }),
    rule({ component: 'a', version: '1' }),
  ]);

  expect(new Set(requests.map(({ target }) => target)).size).toBe(10);
});
