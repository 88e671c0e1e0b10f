import { describe, expect, it } from 'vitest';

import {
  codeOf,
  PATIENT,
  READ,
  shortPause,
  startFaultyGateway,
  WRITE,
} from './support/faulty-gateway.ts';
import type { Fault } from './support/faulty-platform.ts';
import { ENDLESS, type Outcome, ROWS } from './support/rows.ts';

const KINDS = {
  read: { query: READ, well: { name: 'Rule' } },
  write: { query: WRITE, well: { case: { caseId: '7' } } },
};

/**
 * Runs a faulty call beside a good one and returns its outcome. Expects that only the faulty call
 * fails, and that it succeeds once the fault is over.
 */
async function meet(
  kind: keyof typeof KINDS,
  fault: Fault,
  deadlines: object = PATIENT,
): Promise<Outcome> {
  const { query, well } = KINDS[kind];
  const { execute, badly, heal } = await startFaultyGateway(fault, {
    ...shortPause(),
    ...deadlines,
  });

  const answer = await execute(query);
  const outcome: Outcome = [codeOf(answer), badly().length];
  heal();

  expect(answer.data.good).toEqual(well);
  expect(answer.data.bad).toEqual(codeOf(answer) === undefined ? well : null);
  await expect.poll(async () => (await execute(query)).data?.bad).toEqual(well);
  return outcome;
}

const casesOf = (kind: keyof typeof KINDS) =>
  ROWS.flatMap(([does, fault, read, write]) => {
    const outcome = kind === 'read' ? read : write;
    return outcome ? [{ does, fault, code: outcome[0], calls: outcome[1] }] : [];
  });

describe.each(['read', 'write'] as const)('a %s of a platform that', (kind) => {
  it.each(casesOf(kind))(
    '$does ends as $code in $calls calls, fails alone, and the next call succeeds',
    async ({ fault, code, calls }) => {
      expect(await meet(kind, fault)).toEqual([code, calls]);
    },
  );
});

it('a call of a platform that does not end its answer ends at the deadline, alone, and the next one succeeds', async () => {
  // All at once, since each takes as long as its deadline.
  const outcomes = await Promise.all(
    ENDLESS.map(async ([does, fault]) => {
      const [read, write] = await Promise.all([meet('read', fault, {}), meet('write', fault, {})]);
      return { does, read, write };
    }),
  );

  const ended = { read: ['UPSTREAM_TIMEOUT', 2], write: ['OUTCOME_UNKNOWN', 1] };
  expect(outcomes).toEqual(ENDLESS.map(([does]) => ({ does, ...ended })));
});
