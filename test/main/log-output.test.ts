import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';

import { standardOutput } from '../../src/cli/log-output.ts';
import { writeFolder } from '../support/folder.ts';
import { postGraphql } from '../support/gateway.ts';
import { freePort } from '../support/redis.ts';
import { COMPILED, MAIN } from '../support/run.ts';

const QUERY = JSON.stringify({ query: '{ __typename }' });
const ANSWER = { status: 200, data: { __typename: 'Query' } };

/** Starts a gateway whose standard output is an unread pipe or a file descriptor. */
async function startUnread(stdout: 'pipe' | number) {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const ports = { PORT: String(port), METRICS_PORT: String(metricsPort) };
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...COMPILED,
      ...ports,
      SANDBOX_FILE: ':memory:',
      TYPED_FORMS: 'none',
      LOG_LEVEL: 'info',
    },
    cwd: tmpdir(),
    stdio: ['ignore', stdout, 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const status = () =>
    child.exitCode === null
      ? fetch(`${url}/livez`).then((response) => response.status, String)
      : `it ended with ${child.exitCode}: ${stderr}`;
  await expect.poll(status, { interval: 100 }).toBe(200);
  const linesLost = async () => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return Number(/^caseway_log_lines_lost_total (\d+)$/m.exec(text)?.[1]);
  };
  /** Ends the gateway, and returns its exit code. */
  const stop = async (): Promise<number | null> => {
    child.kill('SIGTERM');
    return (await once(child, 'exit'))[0];
  };
  return { url, child, linesLost, stop };
}

it('a gateway whose log goes to an unread pipe serves, counts the lost lines, and ends', async () => {
  const gateway = await startUnread('pipe');

  for (let count = 0; (await gateway.linesLost()) === 0 && count < 60; count++) {
    await Promise.all(Array.from({ length: 100 }, () => postGraphql(gateway.url, QUERY)));
  }

  expect(await postGraphql(gateway.url, QUERY)).toEqual(ANSWER);
  expect(await gateway.linesLost()).toBeGreaterThan(0);
  expect(await gateway.stop()).not.toBeNull();
});

it.each([
  ['a full disk', () => openSync('/dev/full', 'w'), () => undefined],
  ['a reader that is gone', () => 'pipe' as const, (stdout: Readable | null) => stdout?.destroy()],
])('lines that are lost to %s are counted from the first on', async (_what, open, leave) => {
  const gateway = await startUnread(open());
  leave(gateway.child.stdout);

  const loseOne = () => postGraphql(gateway.url, QUERY).then(gateway.linesLost);
  await expect.poll(loseOne, { interval: 250 }).toBeGreaterThan(0);
  const before = await gateway.linesLost();
  expect(await loseOne()).toBe(before + 1);
  expect(await gateway.stop()).not.toBeNull();
});

it('the last lines are written when the gateway stops', async () => {
  const file = join(writeFolder({}), 'log');
  const gateway = await startUnread(openSync(file, 'w'));

  await Promise.all(Array.from({ length: 100 }, () => postGraphql(gateway.url, QUERY)));

  expect(await gateway.stop()).toBe(0);
  expect(readFileSync(file, 'utf8').match(/"msg":"operation"/g)).toHaveLength(100);
});

it('a line after the last lines is counted as lost, and does not end the process', async () => {
  const output = await standardOutput({ isReadable: false });
  await output.drain?.();

  output.write('{}\n');

  expect(output.lost?.()).toBe(1);
});

it('a log line on a terminal has its message and its other members, without control characters', () => {
  const line = { level: 40, time: 0, msg: 'a form is left out', formId: 'a\u001b[2Jb' };
  const module = join(import.meta.dirname, '../../src/cli/log-output.ts');
  const script = `
    const { standardOutput } = await import(${JSON.stringify(module)});
    const output = await standardOutput({ isReadable: true });
    output.write(${JSON.stringify(JSON.stringify(line))} + '\\n');`;

  const args = ['--input-type=module', '-e', script];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });

  expect(stdout).toMatch(/WARN.*: a form is left out {2}\{"formId":"a\\u001b\[2Jb"\}\n/);
});
