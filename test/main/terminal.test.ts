import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { startChainPlatform } from '../support/chain-platform.ts';
import { writeFolder } from '../support/folder.ts';
import { type Env, postGraphql } from '../support/gateway.ts';
import { COMPILED, MAIN } from '../support/run.ts';

/** Runs a command in a terminal of its own, which closes when the command is killed. */
const SCRIPT = '/usr/bin/script';
const CTRL_C = '\u0003';
const ENV = { ...COMPILED, PORT: '0', SANDBOX_FILE: ':memory:', SHELL: '/bin/sh' };
const GATEWAY = `'${process.execPath}' '${MAIN}'`;

/**
 * Runs a command that starts the gateway, and returns its address. `find` reads until a line
 * matches a pattern.
 */
async function startAtTerminal(command = GATEWAY, env: Env = {}, cwd = tmpdir()) {
  const child = spawn(SCRIPT, ['-qfec', command, '/dev/null'], {
    env: { ...ENV, ...env },
    cwd,
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
  return { child, find, url: await find(/GraphQL at (\S+)\/graphql/) };
}

describe.skipIf(!existsSync(SCRIPT))('the line of an operation at a terminal', () => {
  let terminal: Awaited<ReturnType<typeof startAtTerminal>>;
  beforeAll(async () => {
    terminal = await startAtTerminal();
  });
  afterAll(async () => {
    terminal.child.stdin.write(CTRL_C);
    await once(terminal.child, 'exit');
  });

  const lineOf = async (query: string, variables?: object): Promise<string> => {
    await postGraphql(terminal.url, { query, variables });
    return terminal.find(/ \w+: (.* ms .*)$/);
  };

  it('has the operation, the outcome, the time and the calls', async () => {
    expect(await lineOf('query Mine { forms { totalCount } }')).toMatch(
      /^query Mine {2}ok {2}\d+ ms {2}1 call$/,
    );
    expect(await lineOf('{ __typename }')).toMatch(/^query {2}ok {2}\d+ ms {2}0 calls$/);
  });

  it('has the platform’s reason for a failed operation', async () => {
    const mutation =
      'mutation Drop { deleteInstance(input: { formId: "employee", instanceId: "999999" }) { deletedId } }';

    expect(await lineOf(mutation)).toMatch(
      /^mutation Drop {2}failed {2}\d+ ms {2}1 call {2}NOT_FOUND deleteFormIntance 404 INSTANCE_NOT_FOUND$/,
    );
  });

  it.each([
    ['a wrong field', '{ forma { name } }', undefined, 'Field "forma" is not valid here.'],
    [
      'a wrong literal',
      '{ forms(first: "canary") { totalCount } }',
      undefined,
      'StringValue is not valid here.',
    ],
    [
      'a wrong variable',
      'query Q($n: Int!) { forms(first: $n) { totalCount } }',
      { n: 'canary' },
      'first must be',
    ],
    [
      'a wrong argument',
      '{ forms(first: 5000) { totalCount } }',
      undefined,
      'first must be from 0 to 100',
    ],
  ])(
    'has the reason why an operation with %s is refused, without its values',
    async (_what, query, variables, reason) => {
      const line = await lineOf(query, variables);

      expect(line).toContain(`BAD_USER_INPUT ${reason}`);
      expect(line).not.toContain('canary');
    },
  );
});

it.skipIf(!existsSync(SCRIPT))(
  'a gateway stops at the SIGHUP of a terminal that closes, as at SIGTERM',
  async () => {
    const platform = await startChainPlatform();
    // The inner shell ends with the terminal, like a user's shell. The outer one outlives it, and
    // writes the gateway's exit code.
    const cwd = writeFolder({ run: `trap : HUP\n${GATEWAY}\necho $? > code` });
    const env = {
      ...platform.env,
      CALLER_AUTH: 'none',
      TYPED_FORMS: 'none',
      UPSTREAM_TIMEOUT_MS: '60000',
    };
    const { child, url } = await startAtTerminal('sh run; exit', env, cwd);
    onTestFinished(() => void child.kill('SIGKILL'));
    const called = platform.next();
    const answer = postGraphql(url, '{"query":"{ form(formId: \\"link\\") { name } }"}', {
      connection: 'close',
    });
    const call = await called;
    const isRefused = () =>
      fetch(`${url}/livez`, { headers: { connection: 'close' } }).then(
        () => false,
        () => true,
      );

    child.kill('SIGKILL');
    await expect.poll(isRefused).toBe(true);
    call.answer();

    expect((await answer).data).toEqual({ form: { name: 'Link' } });
    const code = join(cwd, 'code');
    await expect.poll(() => existsSync(code) && readFileSync(code, 'utf8')).toBe('0\n');
  },
);
