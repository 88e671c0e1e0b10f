import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';

import { writeFolder } from '../support/folder.ts';
import { runMain } from '../support/run.ts';

const schema = (...args: string[]) => runMain(['schema', ...args]).ended;

const MAIN = join(import.meta.dirname, '../../src/main.ts');
let printed: string;
beforeAll(async () => {
  printed = (await promisify(execFile)(process.execPath, [MAIN, 'schema'])).stdout;
});

/** Keeps what the command prints now, changed, as an older schema. */
const writeOlder = (change: (sdl: string) => string): string =>
  join(writeFolder({ 'old.graphql': change(printed) }), 'old.graphql');

/** Takes a field or choice out, with its description. */
const without = (sdl: string, name: string) =>
  sdl.replace(new RegExp(`\\n  """(?:(?!""")[^])*"""\\n  ${name}\\b.*\\n`), '\n');

describe('npm run schema', () => {
  it('finds no change since itself', async () => {
    const old = writeOlder((sdl) => sdl);

    expect(await schema('--against', old, '--fail-on', 'safe')).toEqual({
      code: 0,
      stdout: `Nothing has changed since ${old}.\n`,
      stderr: '',
    });
  });

  it('lists what breaks clients, what may, and what does not, and ends with 1', async () => {
    const old = writeOlder((sdl) =>
      without(`${sdl} type Gone { a: Int }`.replace('  DESC\n', '  DESC RANDOM\n'), 'hasPreviousPage'),
    );

    const { code, stdout, stderr } = await schema('--against', old);

    expect(code).toBe(1);
    expect(stdout.split('\n')).toEqual([
      `Changes since ${old}: 2 breaking, 0 dangerous, 1 safe.`,
      '',
      'Breaking: what was right may fail.',
      "  Gone: Type 'Gone' was removed",
      "  SortDirection.RANDOM: Enum value 'RANDOM' was removed from enum 'SortDirection'",
      '',
      'Safe.',
      "  PageInfo.hasPreviousPage: Field 'hasPreviousPage' was added to object type 'PageInfo'",
      '',
    ]);
    expect(stderr).toBe('2 changes to fail on: breaking.\n');
  });

  it.each([
    [[], 0],
    [['--fail-on', 'dangerous'], 1],
    [['--fail-on=never'], 0],
  ])('fails on what it is told to: %j', async (args, expected) => {
    const old = writeOlder((sdl) => without(sdl, 'DESC'));

    expect((await schema('--against', old, ...args)).code).toBe(expected);
  });

  it('prints JSON for programs', async () => {
    const old = writeOlder((sdl) => `${sdl} type Gone { a: Int }`);

    const { stdout } = await schema('--against', old, '--json');

    expect(JSON.parse(stdout)).toEqual({
      changes: [{ severity: 'breaking', place: 'Gone', message: "Type 'Gone' was removed" }],
    });
  });

  it.each([
    [['--against', 'nowhere.graphql'], /cannot read nowhere\.graphql: ENOENT/],
    [['--against', import.meta.filename], /schema\.test\.ts is no schema in SDL: Syntax Error/],
    [['--against', 'x', '--fail-on', 'all'], /--fail-on is one of breaking, dangerous, safe, never, and not "all"/],
    [['--json'], /go with --against/],
    [['--aginst', 'x'], /Unknown option/],
  ])('ends with 2 where it cannot be asked like this: %j', async (args, message) => {
    const { code, stdout, stderr } = await schema(...args);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('tells how it is asked', async () => {
    expect((await schema('--help')).stdout).toContain('--against FILE');
  });
});
