import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const README = readFileSync(join(ROOT, 'examples/mobile-offline/README.md'), 'utf8');

/** The README's blocks of commands, each line with the output that it documents. */
const [[gateway] = [], signIn = [], online = [], offline = [], again = []] = [
  ...README.matchAll(/```sh\n(.*?)```/gs),
].map(([, block = '']) =>
  [...block.matchAll(/^(npm|echo)(.*?)(?: {4}# "(.*)")?$/gm)].map(
    ([, word = '', rest = '', says = '']) => [word + rest, says] as const,
  ),
);

it('the README’s commands have the documented effect', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // The sandbox uses the next port. Both are below the range from which the system assigns ports.
  const port = String(20_000 + 2 * randomInt(5_000));
  const env = {
    PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}`,
    HOME: folder,
    PORT: port,
    CASEWAY_URL: `http://127.0.0.1:${port}`,
    SANDBOX_FILE: join(folder, 'sandbox.sqlite'),
  };

  const startGateway = async () => {
    const child = spawn('sh', ['-c', `exec ${gateway?.[0]}`], { cwd: ROOT, env, detached: true });
    const stop = async () => {
      const closed = once(child, 'close');
      // Ctrl+C goes to all processes of the terminal.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
      await closed;
    };
    onTestFinished(() => void (child.exitCode ?? child.signalCode ?? child.kill('SIGKILL')));
    for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
      if (!/GraphQL/.test(String(chunk))) continue;
      child.stdout.resume();
      return stop;
    }
    throw new Error(`The gateway does not start: ${await text(child.stderr)}`);
  };
  const expectAll = async (lines: readonly (readonly [command: string, says: string])[]) => {
    for (const [command, says] of lines) {
      const child = spawn('sh', ['-c', command], { cwd: ROOT, env });
      expect(says).not.toBe('');
      expect((await text(child.stdout)) + (await text(child.stderr)), command).toContain(says);
    }
  };

  const stop = await startGateway();
  await expectAll([...signIn, ...online]);
  await stop();
  await expectAll(offline);
  const stopAgain = await startGateway();
  await expectAll(again);
  await stopAgain();
});
