import { describe, expect, it } from 'vitest';

import type { Applicant } from '../../../src/edge/admission/gate.ts';
import { createPace } from '../../../src/edge/admission/pace.ts';

/** A pace on a clock and an event loop that the test turns. Each piece of work takes `workMs`. */
function paceByHand(workMs: number) {
  const begun: string[] = [];
  let nowMs = 0;
  let due: (() => void)[] = [];
  const pace = createPace({ now: () => nowMs, next: (callback) => due.push(callback) });
  const begin = (name: string, applicant: Partial<Applicant> = {}) => {
    const response = { destroyed: false };
    pace.begin(response, { work: 'read', caller: 'a', ...applicant }, () => {
      begun.push(name);
      nowMs += workMs;
    });
    return response;
  };
  /** Goes round once: all else takes its time, then what was asked for is called. Gives what was begun. */
  const goRound = (elseMs: number) => {
    nowMs += elseMs;
    const callbacks = due;
    due = [];
    for (const callback of callbacks) callback();
    return begun.splice(0);
  };
  return { pace, begin, goRound, isGoing: () => due.length > 0 };
}

describe('pace', () => {
  it('begins work in its order, and rests when none is left', () => {
    const { begin, goRound, isGoing } = paceByHand(0);
    for (const name of ['a', 'b', 'c']) begin(name);

    expect(goRound(1)).toEqual(['a', 'b', 'c']);
    expect(isGoing()).toBe(false);
  });

  it('begins one piece of work a round where there is nothing else to do', () => {
    const { begin, goRound } = paceByHand(2);
    for (const name of ['a', 'b', 'c']) begin(name);

    expect([goRound(0), goRound(0), goRound(0)]).toEqual([['a'], ['b'], ['c']]);
  });

  it('works three times as long as all else took', () => {
    const { begin, goRound } = paceByHand(2);
    for (const name of 'abcdefgh') begin(name);

    expect(goRound(2)).toHaveLength(3);
  });

  it('takes new connections before it works on, until they have had their time', () => {
    const { pace, begin, goRound } = paceByHand(6);
    for (const name of ['a', 'b', 'c']) begin(name);
    goRound(0);

    const rounds = [1, 1, 1].map((elseMs) => {
      pace.connected();
      return goRound(elseMs);
    });

    expect(rounds).toEqual([[], [], ['b']]);
  });

  it('begins one piece of work in a round that brought a connection, and more in the next', () => {
    const { pace, begin, goRound } = paceByHand(1);
    for (const name of 'abcdef') begin(name);
    pace.connected();

    expect([goRound(10), goRound(10)]).toEqual([['a'], ['b', 'c', 'd', 'e']]);
  });

  it('begins changes before all else', () => {
    const { begin, goRound } = paceByHand(0);
    begin('read');
    begin('change', { work: 'write' });

    expect(goRound(1)).toEqual(['change', 'read']);
  });

  it('goes from caller to caller, however much one of them wants', () => {
    const { begin, goRound } = paceByHand(0);
    for (const name of ['a1', 'a2', 'a3']) begin(name, { caller: 'a' });
    begin('b1', { caller: 'b' });

    expect(goRound(1)).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('does not begin what nobody waits for any more', () => {
    const { begin, goRound } = paceByHand(0);
    const gone = begin('a');
    begin('b');

    gone.destroyed = true;

    expect(goRound(1)).toEqual(['b']);
  });

  it('tells the longest wait once, that of work which still waits included', () => {
    const { pace, begin, goRound } = paceByHand(10);
    begin('a');
    begin('b');
    goRound(0);

    const whileWaiting = pace.takeWaitMs();
    goRound(0);

    expect([whileWaiting, pace.takeWaitMs(), pace.takeWaitMs()]).toEqual([10, 10, 0]);
  });
});
