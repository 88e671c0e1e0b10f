import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const MODULE = join(import.meta.dirname, '../../src/cli/log-output.ts');

/** Returns the text that a terminal shows for log lines. */
function format(...lines: readonly object[]): string {
  const script = `
    const { standardOutput } = await import(${JSON.stringify(MODULE)});
    const output = await standardOutput({ isReadable: true });
    for (const line of ${JSON.stringify(lines)}) output.write(JSON.stringify(line) + '\\n');`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    .stdout;
}

it('a log line on a terminal has its message and its other members, without control characters', () => {
  const line = { level: 40, time: 0, msg: 'a form is left out', formId: 'a\u001b[2Jb' };

  const shown = format(line, { level: 30, time: 0, msg: 'ready' });

  expect(shown).toMatch(/WARN.*: a form is left out {2}\{"formId":"a\\u001b\[2Jb"\}\n/);
  expect(shown).toMatch(/INFO.*: ready\n/);
});

it('an operation on a terminal is one line with its outcome, time and calls', () => {
  const line = { level: 30, time: 0, msg: 'operation', operation: 'Mine', kind: 'query' };

  const shown = format({ ...line, outcome: 'ok', durationMs: 30.4, upstreamCalls: 1 });

  expect(shown).toMatch(/INFO.*: query Mine {2}ok {2}30 ms {2}1 call\n/);
});
