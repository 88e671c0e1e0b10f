import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { onTestFinished, vi } from 'vitest';

/** Starts a program that ends with the test, and waits until it listens at the port. */
export async function startProgram(
  port: number,
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const child = spawn(program, [...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    if (child.kill('SIGKILL')) await ended;
  });
  const tryToConnect = async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect').finally(() => socket.destroy());
  };
  await vi.waitFor(tryToConnect, { timeout: 90_000 });
}
