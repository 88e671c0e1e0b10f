import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';

import { writeFolder } from '../support/folder.ts';
import { postGraphql } from '../support/gateway.ts';
import { listen } from '../support/listen.ts';
import { COMPILED, MAIN } from '../support/run.ts';

const QUERY = JSON.stringify({ query: '{ __typename }' });
const ANSWER = { status: 200, data: { __typename: 'Query' } };

/** Gives the address of a port that is free. */
async function freeUrl(): Promise<string> {
  const server = createServer();
  const url = await listen(server);
  server.close();
  return url;
}

/** Starts a gateway whose standard output is a pipe that nobody reads, or a file descriptor. */
async function startUnread(stdout: 'pipe' | number) {
  const [url, metricsUrl] = [await freeUrl(), await freeUrl()];
  const ports = { PORT: new URL(url).port, METRICS_PORT: new URL(metricsUrl).port };
  const sandbox = { SANDBOX_FILE: ':memory:', TYPED_FORMS: 'none' };
  const child = spawn(process.execPath, [MAIN], {
    env: { ...COMPILED, ...ports, ...sandbox, LOG_LEVEL: 'info' },
    cwd: tmpdir(),
    stdio: ['ignore', stdout, 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await expect.poll(() => fetch(`${url}/livez`).then(({ status }) => status, String), { interval: 100 }).toBe(200);
  const linesLost = async () => {
    const text = await (await fetch(`${metricsUrl}/metrics`)).text();
    return Number(/^caseway_log_lines_lost (\d+)$/m.exec(text)?.[1]);
  };
  return { url, child, linesLost };
}

/** Sends requests until log lines are lost. */
async function loseLines({ url, linesLost }: Awaited<ReturnType<typeof startUnread>>): Promise<void> {
  for (let count = 0; (await linesLost()) === 0 && count < 60; count++) {
    await Promise.all(Array.from({ length: 100 }, () => postGraphql(url, QUERY)));
  }
}

it('a gateway whose log goes to a pipe that nobody reads serves, counts the lost lines, and ends', async () => {
  const gateway = await startUnread('pipe');

  await loseLines(gateway);

  expect(await postGraphql(gateway.url, QUERY)).toEqual(ANSWER);
  expect(await gateway.linesLost()).toBeGreaterThan(0);
  gateway.child.kill('SIGTERM');
  const [code] = await once(gateway.child, 'exit');
  expect(code).not.toBeNull();
});

it.each([
  ['a full disk', () => openSync('/dev/full', 'w'), () => undefined],
  ['a reader that is gone', () => 'pipe' as const, (stdout: Readable | null) => stdout?.destroy()],
])('lines that are lost to %s are counted from the first on', async (_what, open, leave) => {
  const gateway = await startUnread(open());
  leave(gateway.child.stdout);

  await expect
    .poll(
      async () => {
        await postGraphql(gateway.url, QUERY);
        return gateway.linesLost();
      },
      { interval: 250 },
    )
    .toBeGreaterThan(0);

  const before = await gateway.linesLost();
  await postGraphql(gateway.url, QUERY);
  expect(await gateway.linesLost()).toBe(before + 1);
  gateway.child.kill('SIGTERM');
  const [code] = await once(gateway.child, 'exit');
  expect(code).not.toBeNull();
});

it('the last lines are written when the gateway stops', async () => {
  const file = join(writeFolder({}), 'log');
  const gateway = await startUnread(openSync(file, 'w'));

  await Promise.all(Array.from({ length: 100 }, () => postGraphql(gateway.url, QUERY)));
  gateway.child.kill('SIGTERM');
  const [code] = await once(gateway.child, 'exit');

  expect(code).toBe(0);
  expect(readFileSync(file, 'utf8').match(/"msg":"operation"/g)).toHaveLength(100);
});
