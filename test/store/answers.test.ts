import { describe, expect, it } from 'vitest';

import { type Answer, createAnswers } from '../../src/store/answers.ts';
import { createDepot } from '../../src/store/depot.ts';
import { createMeter } from '../../src/store/meter.ts';
import { want } from '../../src/store/wanted.ts';

const answerOf = (text: string, isWhole = true): Answer => ({ body: Buffer.from(text), isWhole });

/** The answers of one scope, before a store in which what is read is true for as long as `isTrue` says. */
function openAnswers(answersMaxBytes = 10_000) {
  const state = { isTrue: true, confirmed: 0 };
  const depot = createDepot({ answersMaxBytes });
  const store = {
    async confirm() {
      state.confirmed++;
      return state.isTrue;
    },
  };
  const answers = createAnswers({ store, depot });
  let made = 0;
  const give = (key: string, more: { spoil?: boolean; isWhole?: boolean; wait?: Promise<unknown> } = {}) => {
    const meter = createMeter();
    const seeker = { signal: new AbortController().signal, meter };
    return answers.give(key, seeker, async () => {
      made++;
      const text = `answer ${made}`;
      await more.wait;
      meter.witness.note(meter.witness.begin(), { wanted: want.form('a'), version: 'v1' as never });
      if (more.spoil) meter.witness.spoil();
      return answerOf(text, more.isWhole ?? true);
    });
  };
  const text = async (key: string, more = {}) => String((await give(key, more))?.body);
  return { text, give, state, depot, made: () => made, clear: answers.clear };
}

describe('the answers of one caller', () => {
  it('serve again, once they were asked for twice, while all that they rest on is true', async () => {
    const { text, state } = openAnswers();

    await text('q');

    expect([await text('q'), await text('q'), await text('q')]).toEqual(['answer 2', 'answer 2', 'answer 2']);
    expect(state.confirmed).toBe(2);
  });

  it('are forgotten with their caller', async () => {
    const { text, depot, clear } = openAnswers();
    await text('q');
    await text('q');

    clear();

    expect(depot.answers?.bytes).toBe(0);
    expect(await text('q')).toBe('answer 3');
  });

  it('are made anew when something is true no more, and kept again', async () => {
    const { text, state } = openAnswers();
    await text('q');
    await text('q');

    state.isTrue = false;
    const anew = await text('q');
    state.isTrue = true;

    expect([anew, await text('q')]).toEqual(['answer 3', 'answer 3']);
  });

  it.each([
    ['lacks something', { isWhole: false }],
    ['says who asks, or holds an older copy', { spoil: true }],
  ])('never serve again when one %s', async (_what, more) => {
    const { text } = openAnswers();

    const texts = [await text('q', more), await text('q', more), await text('q', more)];

    expect(texts).toEqual(['answer 1', 'answer 2', 'answer 3']);
  });

  it('tell questions apart', async () => {
    const { text } = openAnswers();

    for (const key of ['q', 'p', 'q', 'p']) await text(key);

    expect([await text('q'), await text('p')]).toEqual(['answer 3', 'answer 4']);
  });

  it('are bounded by their bytes: what was asked for longest ago goes first', async () => {
    const { text, made } = openAnswers(2_000);
    for (const key of ['a', 'b', 'c', 'd', 'e']) for (const _ of [1, 2]) await text(key);

    await text('e');
    await text('a');

    expect(made()).toBe(11);
  });

  it('are not kept at all where there is no room for any', async () => {
    const { text } = openAnswers(0);

    expect([await text('q'), await text('q'), await text('q')]).toEqual(['answer 1', 'answer 2', 'answer 3']);
  });

  it('are made once for equal questions under way', async () => {
    const { text, made } = openAnswers();
    const { promise, resolve } = Promise.withResolvers<void>();
    const all = [text('q', { wait: promise }), text('q'), text('q')];

    resolve();

    expect(await Promise.all(all)).toEqual(['answer 1', 'answer 1', 'answer 1']);
    expect(made()).toBe(1);
  });

  it('are made for each where the first lacks something', async () => {
    const { text } = openAnswers();
    const { promise, resolve } = Promise.withResolvers<void>();
    const all = [text('q', { wait: promise, isWhole: false }), text('q')];

    resolve();

    expect(await Promise.all(all)).toEqual(['answer 1', 'answer 2']);
  });

  it('are not shared across a change that somebody made meanwhile', async () => {
    const { text, depot, state } = openAnswers();
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = text('q', { wait: promise });
    state.isTrue = false;

    await depot.touch({ formId: 'a' });
    const afterwards = await text('q');
    resolve();

    expect([await before, afterwards]).toEqual(['answer 1', 'answer 2']);
  });
});
