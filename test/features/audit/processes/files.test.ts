import { readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

import { auditFile, codesOf, readLines } from '../support.ts';
import { expectProof, startAuditing, startJournal } from './support.ts';

const ROTATIONS = 5;
const CHANGES = 150;
const AT_A_TIME = 8;

it('no line is lost where the file is rotated under load', async () => {
  const { journal, env } = await startJournal();
  const file = auditFile();
  const gateway = await startAuditing({ ...env, AUDIT_FILE: file });
  let next = 0;
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
  const work = async () => {
    while (next < CHANGES) {
      const index = next++;
      if (index % (CHANGES / ROTATIONS) === CHANGES / ROTATIONS - 1) {
        rotated = rotated.then(rotate);
        await rotated;
      }
      await gateway.create(`k${index}`);
    }
  };

  await Promise.all(Array.from({ length: AT_A_TIME }, work));

  const files = readdirSync(dirname(file));
  expect(files).toHaveLength(ROTATIONS + 1);
  const lines = files.flatMap((name) => readLines(join(dirname(file), name)));
  expectProof(journal, lines);
  for (const event of ['sent', 'done'])
    expect(lines.filter((line) => line['event'] === event)).toHaveLength(journal.length);
});

it('lines go to standard output among the log lines and are marked', async () => {
  const { journal, env } = await startJournal();
  const gateway = await startAuditing({ ...env, AUDIT_FILE: '-', LOG_LEVEL: 'info' });

  for (let index = 0; index < 20; index++) await gateway.create(`k${index}`);
  gateway.stop();

  const { stdout } = await gateway.ended;
  const lines = stdout
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const audited = lines.filter(({ audit }) => audit === 1);
  expect(audited).toHaveLength(40);
  expect(lines.length).toBeGreaterThan(40);
  expectProof(journal, audited);
});

it('changes are refused while standard output is not read, and the gateway keeps running', async () => {
  const { journal, env } = await startJournal();
  const gateway = await startAuditing({ ...env, AUDIT_FILE: '-' });
  gateway.pauseReading();

  const codes: unknown[] = [];
  // A pipe holds some hundred lines.
  for (let index = 0; index < 3_000 && codes.length === 0; index += AT_A_TIME) {
    const answers = await Promise.all(
      Array.from({ length: AT_A_TIME }, (_, at) => gateway.create(`k${index + at}`)),
    );
    codes.push(...answers.flatMap((answer) => (answer ? codesOf(answer) : ['lost'])));
  }

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
  expectProof(
    journal,
    stdout
      .split('\n')
      .flatMap((line) =>
        line.startsWith('{"audit"') && line.endsWith('}') ? [JSON.parse(line)] : [],
      ),
  );
});
