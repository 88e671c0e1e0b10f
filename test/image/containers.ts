import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import type { Env } from '../support/gateway.ts';

/** The program that runs containers. Where there is no systemd podman needs other helpers. */
const [ENGINE, ...ENGINE_OPTIONS] =
  spawnSync('docker', ['info']).status === 0
    ? ['docker']
    : (['podman', '--cgroup-manager', 'cgroupfs'] as const);
const RUNTIME =
  ENGINE === 'docker'
    ? []
    : ['--runtime', 'runc', '--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1000:1000'];
/** As `deploy/` runs them. */
const HARDENED = [
  '--read-only',
  '--cap-drop',
  'all',
  '--security-opt',
  'no-new-privileges',
  '--network',
  'host',
];

/** Runs the engine to its end and returns its output. */
export const engine = (...args: readonly string[]): string =>
  execFileSync(String(ENGINE), [...ENGINE_OPTIONS, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: 'pipe',
  });

/** A container that goes with the test. */
export interface RunningContainer {
  readonly name: string;
  /** Waits until the output matches the pattern, and returns the match or its first group. */
  printed(pattern: RegExp): Promise<string>;
  /** Asks it to stop, as an orchestrator does; resolves to its exit code. */
  stop(): Promise<number | null>;
}

let count = 0;

export function startContainer(image: string, env: Env): RunningContainer {
  const name = `caseway-check-${process.pid}-${count++}`;
  const variables = Object.entries(env).flatMap(([key, value]) => ['-e', `${key}=${value}`]);
  const args = ['run', '--rm', '--name', name, ...RUNTIME, ...HARDENED, ...variables, image];
  const child = spawn(String(ENGINE), [...ENGINE_OPTIONS, ...args]);
  const ended = once(child, 'close') as Promise<[number | null]>;
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output += chunk));
  onTestFinished(async () => {
    if (child.exitCode === null) spawnSync(String(ENGINE), [...ENGINE_OPTIONS, 'rm', '-f', name]);
    await ended;
  });

  return {
    name,
    async printed(pattern) {
      for (;;) {
        const [whole, part = whole] = pattern.exec(output) ?? [];
        if (part !== undefined) return part;
        const event = await Promise.race([
          once(child.stdout, 'data'),
          once(child.stderr, 'data'),
          ended,
        ]);
        if (child.exitCode !== null && !pattern.test(output))
          throw new Error(`It ended with ${event}: ${output}`);
      }
    },
    async stop() {
      engine('kill', '--signal', 'TERM', name);
      const [code] = await ended;
      return code;
    },
  };
}
