import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { MAIN } from '../support/run.ts';

/** Runs a command at a terminal of its own. */
const SCRIPT = '/usr/bin/script';
const CTRL_C = '\u0003';
const ENV = { PORT: '0', SANDBOX_FILE: ':memory:', SHELL: '/bin/sh' };

/** Starts the gateway at a terminal, and gives the line that it prints for each operation. */
function startAtTerminal(env: Readonly<Record<string, string>> = {}) {
  const command = `'${process.execPath}' '${MAIN}'`;
  const child = spawn(SCRIPT, ['-qfec', command, '/dev/null'], {
    env: { ...ENV, ...env },
    cwd: tmpdir(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const find = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`The gateway ended without a line like ${pattern}.`);
      const found = pattern.exec(stripVTControlCharacters(value));
      if (found) return found[1] ?? '';
    }
  };
  const url = find(/GraphQL at (\S+)/);
  const lineOf = async (query: string, variables?: object): Promise<string> => {
    await fetch(await url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    return find(/ \w+: (.* ms .*)$/);
  };
  const stop = async () => {
    child.stdin.write(CTRL_C);
    await once(child, 'exit');
  };
  return { lineOf, stop };
}

describe.skipIf(!existsSync(SCRIPT))('the line of an operation at a terminal', () => {
  let terminal: ReturnType<typeof startAtTerminal>;
  const lineOf = (query: string, variables?: object) => terminal.lineOf(query, variables);
  beforeAll(() => {
    terminal = startAtTerminal();
  });
  afterAll(() => terminal.stop());

  it('says what ran, how it ended, how long it took and what it cost', async () => {
    expect(await lineOf('query Mine { forms { totalCount } }')).toMatch(/^query Mine {2}ok {2}\d+ ms {2}1 call$/);
    expect(await lineOf('{ __typename }')).toMatch(/^query {2}ok {2}\d+ ms {2}0 calls$/);
  });

  it('says why the platform failed an operation', async () => {
    const mutation =
      'mutation Drop { deleteInstance(input: { formId: "employee", instanceId: "999999" }) { deletedId } }';

    expect(await lineOf(mutation)).toMatch(
      /^mutation Drop {2}failed {2}\d+ ms {2}1 call {2}NOT_FOUND deleteFormIntance 404 INSTANCE_NOT_FOUND$/,
    );
  });

  it.each([
    ['a wrong field', '{ forma { name } }', undefined, 'Cannot query field "forma" on type "Query".'],
    ['a wrong literal', '{ forms(first: "canary") { totalCount } }', undefined, 'Int cannot represent'],
    ['a wrong variable', 'query Q($n: Int!) { forms(first: $n) { totalCount } }', { n: 'canary' }, 'first must be'],
    ['a wrong argument', '{ forms(first: 5000) { totalCount } }', undefined, 'first must be from 1 to 100'],
  ])('says why an operation with %s is refused, and quotes no value', async (_what, query, variables, reason) => {
    const line = await lineOf(query, variables);

    expect(line).toContain(`BAD_USER_INPUT ${reason}`);
    expect(line).not.toContain('canary');
  });
});
