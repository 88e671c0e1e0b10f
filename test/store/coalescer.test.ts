import { describe, expect, it, vi } from 'vitest';

import { createCoalescer } from '../../src/store/coalescer.ts';
import { createJournal } from '../../src/store/journal.ts';
import { type Resource, resourceKey } from '../../src/store/resource.ts';
import { AREAS } from '../../src/store/touched.ts';

const resource = (operation: string, ...args: readonly unknown[]): Resource => ({
  operation,
  key: resourceKey(operation, ...args),
  areas: AREAS.lists('a'),
});
const FORM = resource('getForm', 'a');
const { signal: patient } = new AbortController();

/** A call that is answered when the test says so; `signals` holds what each call was given. */
function slowCall() {
  const signals: AbortSignal[] = [];
  const answers: PromiseWithResolvers<string>[] = [];
  const call = (signal: AbortSignal) => {
    const answer = Promise.withResolvers<string>();
    signals.push(signal);
    answers.push(answer);
    return answer.promise;
  };
  return { call, signals, answer: (text: string, index = 0) => answers[index]?.resolve(text) };
}

describe('coalescer', () => {
  it('lets equal reads in flight share one call', async () => {
    const { call, signals, answer } = slowCall();
    const { join } = createCoalescer(createJournal());

    const waiting = [
      join(FORM, call, patient),
      join(FORM, call, patient),
      join(resource('getForm', 'a'), call, patient),
    ];
    answer('form');

    expect(await Promise.all(waiting)).toEqual(['form', 'form', 'form']);
    expect(signals).toHaveLength(1);
  });

  it('makes a call anew once the last one has ended', async () => {
    const call = vi.fn(async () => 'form');
    const { join } = createCoalescer(createJournal());

    await join(FORM, call, patient);
    await join(FORM, call, patient);

    expect(call).toHaveBeenCalledTimes(2);
  });

  it('lets a waiter leave alone: the others get their answer', async () => {
    const { call, signals, answer } = slowCall();
    const { join } = createCoalescer(createJournal());
    const leaver = new AbortController();
    const left = join(FORM, call, leaver.signal);
    const stayed = join(FORM, call, patient);

    leaver.abort('gone');

    await expect(left).rejects.toMatchObject({ failure: 'cancelled', operation: 'getForm', cause: 'gone' });
    expect(signals[0]?.aborted).toBe(false);
    answer('form');
    expect(await stayed).toBe('form');
  });

  it('aborts the call when the last waiter has left, and lets nobody join it then', async () => {
    const { call, signals, answer } = slowCall();
    const { join } = createCoalescer(createJournal());
    const leavers = [new AbortController(), new AbortController()];
    const left = leavers.map(({ signal }) => join(FORM, call, signal));

    for (const leaver of leavers) leaver.abort();
    await Promise.allSettled(left);
    const next = join(FORM, call, patient);
    answer('new', 1);

    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(await next).toBe('new');
  });

  it('makes no call for a waiter that had left before', async () => {
    const call = vi.fn(async () => 'form');

    const left = createCoalescer(createJournal()).join(FORM, call, AbortSignal.abort());

    await expect(left).rejects.toMatchObject({ failure: 'cancelled' });
    expect(call).not.toHaveBeenCalled();
  });

  it('tells a failure to all who wait, and does not remember it', async () => {
    const failing = Promise.withResolvers<string>();
    const { join } = createCoalescer(createJournal());
    const waiting = [join(FORM, () => failing.promise, patient), join(FORM, () => failing.promise, patient)];

    failing.reject(new Error('down'));

    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await join(FORM, async () => 'form', patient)).toBe('form');
  });

  it('lets nobody join what was in flight when something that it may hold was changed', async () => {
    const { call, signals, answer } = slowCall();
    const journal = createJournal();
    const { join } = createCoalescer(journal);
    const before = join(FORM, call, patient);

    journal.touch({ formId: 'a' });
    const after = [join(FORM, call, patient), join(FORM, call, patient)];
    answer('old');
    const old = await before;
    // The old call has ended and must not have taken the new one's place with it.
    const last = join(FORM, call, patient);
    answer('new', 1);

    expect(old).toBe('old');
    expect(await Promise.all([...after, last])).toEqual(['new', 'new', 'new']);
    expect(signals).toHaveLength(2);
  });

  it('keeps no listener on a signal that outlives its reads', async () => {
    const add = vi.spyOn(patient, 'addEventListener');
    const remove = vi.spyOn(patient, 'removeEventListener');
    const { join } = createCoalescer(createJournal());

    await Promise.all(
      Array.from({ length: 100 }, (_, index) => join(resource('x', index), async () => index, patient)),
    );

    expect([add.mock.calls.length, remove.mock.calls.length]).toEqual([100, 100]);
  });
});

describe('a resource', () => {
  it.each([
    [resource('a', 'b', 'c'), resource('a', 'b,c')],
    [resource('a', 'b', 'c'), resource('a', 'bc')],
    [resource('a', '1'), resource('a', 1)],
    [resource('getParameters', 'a-b', '1'), resource('getParameters', 'a', 'b-1')],
    [resource('a', ['b'], 'c'), resource('a', ['b', 'c'])],
    [resource('a', '"],["'), resource('a', [])],
  ])('never has the key of another: %j', (one, other) => {
    expect(one.key).not.toBe(other.key);
  });
});
