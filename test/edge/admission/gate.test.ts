import { describe, expect, it } from 'vitest';

import { createGate } from '../../../src/edge/admission/gate.ts';

const LATE_MS = 61;
const ON_TIME_MS = 5;

const gateOf = (maxInFlight: number) => createGate({ maxInFlight, targetLagMs: 60 });

function enterAll(gate: ReturnType<typeof gateOf>, work: 'read' | 'write'): (() => void)[] {
  const left: (() => void)[] = [];
  for (let leave = gate.enter(work); leave; leave = gate.enter(work)) left.push(leave);
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

  it('keeps a quarter of the places for changes, beyond those for reads', () => {
    const gate = gateOf(8);
    enterAll(gate, 'read');

    expect(gate.hasRoom('read')).toBe(false);
    expect(gate.hasRoom('write')).toBe(true);
    expect(enterAll(gate, 'write')).toHaveLength(2);
  });

  it('has a place for each kind, however small it is', () => {
    const gate = gateOf(1);

    expect(enterAll(gate, 'read')).toHaveLength(1);
    expect(enterAll(gate, 'write')).toHaveLength(1);
  });

  it('has a fifth less places each time the event loop is late, but never less than a quarter', () => {
    const gate = gateOf(80);
    gate.observe(LATE_MS);
    const afterOne = gate.limit();

    for (let sample = 0; sample < 100; sample++) gate.observe(LATE_MS);

    expect(afterOne).toBe(64);
    expect(gate.limit()).toBe(20);
  });

  it('has one place more each time the event loop is on time, up to the most', () => {
    const gate = gateOf(80);
    gate.observe(LATE_MS);

    gate.observe(ON_TIME_MS);
    const afterOne = gate.limit();
    for (let sample = 0; sample < 100; sample++) gate.observe(ON_TIME_MS);

    expect(afterOne).toBe(65);
    expect(gate.limit()).toBe(80);
  });

  it('drives nobody out when places are taken away, and lets nobody in until enough have left', () => {
    const gate = gateOf(80);
    const entered = enterAll(gate, 'read');
    gate.observe(LATE_MS);

    for (const leave of entered.slice(0, 16)) leave();
    const whileFull = gate.hasRoom('read');
    entered[16]?.();

    expect(whileFull).toBe(false);
    expect(gate.hasRoom('read')).toBe(true);
  });
});
