import { describe, expect, it } from 'vitest';

import { codeOf, PATIENT, READ, shortPause, startFaultyGateway, WRITE } from './support/faulty-gateway.ts';
import { ROWS } from './support/rows/index.ts';
import type { Outcome } from './support/rows/row.ts';

const casesOf = (kind: 'read' | 'write') =>
  ROWS.flatMap(({ [kind]: outcome, ...row }) =>
    outcome === undefined ? [] : [{ ...row, code: outcome[0], hits: outcome[1] }],
  );

describe.each([
  { kind: 'read', query: READ, well: { name: 'Rule' }, cases: casesOf('read') },
  { kind: 'write', query: WRITE, well: { case: { caseId: '7' } }, cases: casesOf('write') },
])('a $kind of a platform that', ({ query, well, cases }) => {
  it.each(cases)(
    '$does ends as $code in $hits calls, fails alone, and the next call succeeds',
    async ({ fault, isEndless, ...told }) => {
      const deadlines = isEndless ? {} : PATIENT;
      const { execute, badly, heal } = await startFaultyGateway(fault, { ...shortPause(), ...deadlines });

      const answer = await execute(query);
      const outcome: Outcome = [codeOf(answer), badly().length];
      heal();

      expect(outcome).toEqual([told.code, told.hits]);
      expect(answer.data.good).toEqual(well);
      expect(answer.data.bad).toEqual(told.code === undefined ? well : null);
      await expect.poll(async () => (await execute(query)).data?.bad).toEqual(well);
    },
  );
});
