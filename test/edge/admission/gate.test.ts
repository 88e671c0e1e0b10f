import { describe, expect, it } from 'vitest';

import { createGate, type Gate, type Work } from '../../../src/edge/admission/gate.ts';

const LATE_MS = 61;
const ON_TIME_MS = 5;

const gateOf = (maxInFlight: number) => createGate({ maxInFlight, targetLagMs: 60 });

const applicant = (work: Work, caller = 'a') => ({ work, caller });

function enterAll(gate: Gate, work: Work, caller = 'a'): (() => void)[] {
  const left: (() => void)[] = [];
  for (let leave = gate.enter({ work, caller }); leave; leave = gate.enter({ work, caller })) left.push(leave);
  return left;
}

describe('gate', () => {
  it('lets in as many as there are places, and again as many as leave', () => {
    const gate = gateOf(8);
    const entered = enterAll(gate, 'read');

    entered[0]?.();
    entered[0]?.();

    expect(entered).toHaveLength(8);
    expect(enterAll(gate, 'read')).toHaveLength(1);
  });

  it('keeps two quarters of the places for changes, beyond those for reads', () => {
    const gate = gateOf(8);
    enterAll(gate, 'read');

    expect(gate.hasRoom(applicant('read'))).toBe(false);
    expect(gate.hasRoom(applicant('write'))).toBe(true);
    expect(enterAll(gate, 'write')).toHaveLength(4);
  });

  it('gives a caller who is alone all places, and none of those beyond', () => {
    expect(enterAll(gateOf(8), 'read')).toHaveLength(8);
  });

  it('lets others in beyond the limit while one has more than an equal part, one quarter of the places together', () => {
    const gate = gateOf(8);
    enterAll(gate, 'read', 'greedy');

    const modest = enterAll(gate, 'read', 'modest');

    expect(modest).toHaveLength(2);
    expect(gate.hasRoom(applicant('read', 'another'))).toBe(false);
    expect(gate.hasRoom(applicant('write', 'another'))).toBe(true);
  });

  it('has as many places beyond the limit as are kept, in whatever order they are taken', () => {
    const gate = gateOf(8);
    enterAll(gate, 'read', 'greedy');

    const writes = enterAll(gate, 'write', 'greedy');

    expect(writes).toHaveLength(4);
    expect(gate.hasRoom(applicant('read', 'modest'))).toBe(false);
    writes[0]?.();
    expect(enterAll(gate, 'read', 'modest')).toHaveLength(1);
  });

  it('lets others in beyond the limit also while more is in flight than that', () => {
    const gate = gateOf(8);
    enterAll(gate, 'read', 'greedy');
    for (let sample = 0; sample < 100; sample++) gate.observe(LATE_MS);

    expect(gate.limit()).toBe(2);
    expect(gate.hasRoom(applicant('read', 'greedy'))).toBe(false);
    expect(['b', 'c', 'd'].map((caller) => gate.enter(applicant('read', caller)) !== undefined)).toEqual([
      true,
      true,
      false,
    ]);
    expect(enterAll(gate, 'write', 'greedy')).toHaveLength(2);
  });

  it('gives no place that becomes free to one who has more than an equal part, while others are over the limit', () => {
    const gate = gateOf(8);
    const [leave] = enterAll(gate, 'read', 'greedy');
    gate.enter(applicant('read', 'modest'));

    leave?.();

    expect(gate.hasRoom(applicant('read', 'greedy'))).toBe(false);
    expect(gate.hasRoom(applicant('read', 'modest'))).toBe(true);
  });

  it('calls greedy who has more than an equal part while others have some, and nobody who is alone', () => {
    const gate = gateOf(8);
    enterAll(gate, 'read', 'greedy');
    const alone = gate.isGreedy('greedy');
    gate.enter(applicant('read', 'modest'));

    expect([alone, gate.isGreedy('greedy'), gate.isGreedy('modest'), gate.isGreedy('another')]).toEqual([
      false,
      true,
      false,
      false,
    ]);
  });

  it('forgets a caller who has left', () => {
    const gate = gateOf(8);
    for (const caller of ['b', 'c', 'd']) gate.enter(applicant('read', caller))?.();

    expect(enterAll(gate, 'read')).toHaveLength(8);
  });

  it('is open while there is room for whatever comes', () => {
    const gate = gateOf(8);
    const [leave] = enterAll(gate, 'read');
    const whileFull = gate.isOpen();
    leave?.();

    expect([whileFull, gate.isOpen()]).toEqual([false, true]);
  });

  it('has a place for each kind, however small it is', () => {
    const gate = gateOf(1);

    expect(enterAll(gate, 'read')).toHaveLength(1);
    expect(enterAll(gate, 'write')).toHaveLength(2);
  });

  it('has a fifth less places when work is late, but never less than a quarter', () => {
    const gate = gateOf(80);
    gate.observe(LATE_MS);
    const afterOne = gate.limit();

    for (let sample = 0; sample < 100; sample++) gate.observe(LATE_MS);

    expect(afterOne).toBe(64);
    expect(gate.limit()).toBe(20);
  });

  it('waits before it takes more places away until what was let in before has had time to leave', () => {
    const gate = gateOf(80);

    const limits = Array.from({ length: 5 }, () => {
      gate.observe(LATE_MS);
      return gate.limit();
    });

    expect(limits).toEqual([64, 64, 64, 64, 51]);
  });

  it('waits no longer once work has been on time', () => {
    const gate = gateOf(80);

    const limits = [LATE_MS, ON_TIME_MS, LATE_MS].map((lagMs) => {
      gate.observe(lagMs);
      return gate.limit();
    });

    expect(limits).toEqual([64, 67, 53]);
  });

  it('has a twentieth more places each time work is on time, one at least, up to the most', () => {
    const few = gateOf(8);
    const many = gateOf(80);
    for (const gate of [few, many]) {
      gate.observe(LATE_MS);
      gate.observe(ON_TIME_MS);
    }
    const afterOne = [few.limit(), many.limit()];
    for (let sample = 0; sample < 100; sample++) many.observe(ON_TIME_MS);

    expect(afterOne).toEqual([7, 67]);
    expect(many.limit()).toBe(80);
  });

  it('takes a sixteenth of the places for no more than anybody may have, however many callers there are', () => {
    const gate = gateOf(64);
    for (let caller = 0; caller < 40; caller++) gate.enter(applicant('read', `caller ${caller}`));
    enterAll(gate, 'read', 'greedy');

    expect(enterAll(gate, 'read', 'caller 0')).toHaveLength(3);
  });

  it('drives nobody out when places are taken away, and lets nobody in until enough have left', () => {
    const gate = gateOf(80);
    const entered = enterAll(gate, 'read');
    gate.observe(LATE_MS);

    for (const leave of entered.slice(0, 16)) leave();
    const whileFull = gate.hasRoom(applicant('read'));
    entered[16]?.();

    expect(whileFull).toBe(false);
    expect(gate.hasRoom(applicant('read'))).toBe(true);
  });
});
