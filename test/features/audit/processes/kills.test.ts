import { expect, it } from 'vitest';

import { auditFile, readLines } from '../support.ts';
import { expectAudited, type Gateway, inParallel, startAuditing, startJournal } from './support.ts';

/** How often a gateway is killed; `AUDIT_KILLS=40` for the whole proof. */
const KILLS = Number(process.env['AUDIT_KILLS'] ?? 2);
const CHANGES_FOR_A_KILL = 50;

it('each effect has an earlier line and each line "done" an effect while two gateways are killed', {
  timeout: 3_600_000,
}, async () => {
  const { journal, env } = await startJournal((key) => key.endsWith('7'));
  const files = [auditFile(), auditFile()];
  const start = (at: number) => startAuditing({ ...env, AUDIT_FILE: files[at] ?? '' });
  const gateways: (Gateway | undefined)[] = [await start(0), await start(1)];
  const kill = async (at: number) => {
    gateways[at]?.stop('SIGKILL');
    gateways[at] = undefined;
    gateways[at] = await start(at);
  };

  const tally = { done: 0, refused: 0 };
  const change = async (index: number) => {
    const gateway = gateways[index % 2] ?? gateways[(index + 1) % 2];
    const answer = await gateway?.create(`k${index}`);
    if (answer?.errors) tally.refused++;
    else if (answer) tally.done++;
  };
  for (let kills = 0; kills < KILLS; kills++) {
    const first = kills * CHANGES_FOR_A_KILL;
    const killAt = first + 8 + Math.floor(Math.random() * (CHANGES_FOR_A_KILL - 8));
    let killing: Promise<void> | undefined;
    await inParallel(first, first + CHANGES_FOR_A_KILL, async (index) => {
      if (index === killAt) killing = kill(kills % 2);
      await change(index);
    });
    await killing;
  }

  const lines = files.flatMap(readLines);
  const count = (wanted: string) => lines.filter(({ event }) => event === wanted).length;
  expectAudited(journal, lines);
  expect(count('failed')).toBeGreaterThanOrEqual(tally.refused);
  expect(journal.length).toBeGreaterThanOrEqual(tally.done);
  expect(count('sent')).toBeGreaterThanOrEqual(journal.length);
});
