import { readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

import { auditFile, codesOf, parseLines, readLines } from '../support.ts';
import { expectAudited, inParallel, startAuditing, startJournal } from './support.ts';

const ROTATIONS = 5;
const CHANGES = 150;

it('no line is lost where the file is rotated under load', async () => {
  const { journal, env } = await startJournal();
  const file = auditFile();
  const gateway = await startAuditing({ ...env, AUDIT_FILE: file });
  let rotations = 0;
  let tries = 0;
  let rotated = Promise.resolve();
  const rotate = async () => {
    renameSync(file, `${file}.${++rotations}`);
    gateway.stop('SIGHUP');
    // Without it there is no file to move before the next change.
    await expect
      .poll(async () => gateway.create(`r${++tries}`).then(() => readdirSync(dirname(file))), {
        interval: 5,
      })
      .toContain('audit.jsonl');
  };

  await inParallel(0, CHANGES, async (index) => {
    if (index % (CHANGES / ROTATIONS) === CHANGES / ROTATIONS - 1) {
      rotated = rotated.then(rotate);
      await rotated;
    }
    await gateway.create(`k${index}`);
  });

  const files = readdirSync(dirname(file));
  expect(files).toHaveLength(ROTATIONS + 1);
  const lines = files.flatMap((name) => readLines(join(dirname(file), name)));
  expectAudited(journal, lines);
  for (const event of ['sent', 'done'])
    expect(lines.filter((line) => line['event'] === event)).toHaveLength(journal.length);
});

it('lines go to standard output among the log lines and are marked', async () => {
  const { journal, env } = await startJournal();
  const gateway = await startAuditing({ ...env, AUDIT_FILE: '-', LOG_LEVEL: 'info' });

  for (let index = 0; index < 20; index++) await gateway.create(`k${index}`);
  gateway.stop();

  const { stdout } = await gateway.ended;
  const lines = parseLines(stdout);
  const audited = lines.filter((line) => line['audit'] === 1);
  expect(audited).toHaveLength(40);
  expect(lines.length).toBeGreaterThan(40);
  expectAudited(journal, audited);
});

it('changes are refused while standard output is not read, and the gateway keeps running', async () => {
  const { journal, env } = await startJournal();
  const gateway = await startAuditing({ ...env, AUDIT_FILE: '-' });
  gateway.pauseReading();

  const codes: unknown[] = [];
  // A pipe holds some hundred lines.
  await inParallel(0, 3_000, async (index) => {
    if (codes.length > 0) return;
    const answer = await gateway.create(`k${index}`);
    codes.push(...(answer ? codesOf(answer) : ['lost']));
  });

  expect(new Set(codes)).toEqual(new Set(['AUDIT_UNAVAILABLE']));
  expect(codesOf(await gateway.list())).toEqual([]);
  const made = journal.length;
  gateway.resumeReading();
  await expect
    .poll(async () => gateway.create('again').then((answer) => answer && codesOf(answer)))
    .toEqual([]);
  gateway.stop();
  const { stdout } = await gateway.ended;
  expect(journal).toHaveLength(made + 1);
  const lines = parseLines(stdout);
  expectAudited(
    journal,
    lines.filter((line) => line['audit'] === 1),
  );
});
