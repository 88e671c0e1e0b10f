import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

import { runCli } from '../../src/cli/run.ts';
import { type Addresses, readAddresses } from './addresses.ts';
import type { Env } from './gateway.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The program below a tree: its source, or what `npm run build` makes of it. */
const PROGRAM = process.env['CASEWAY_PROGRAM'] ?? 'src/main.ts';
/** The program of this tree. */
export const MAIN = join(ROOT, PROGRAM);

/** The compile cache that processes share: with it they start in half of the processor time. */
export const COMPILED = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/caseway') };

/** A run of the program in a process of its own, with only the test's environment variables. */
export interface Run {
  /**
   * Waits until the output matches the pattern, and returns the match or its first group. Rejects
   * if the process ends before.
   */
  printed(pattern: RegExp): Promise<string>;
  /** Waits until the gateway has printed its addresses. Rejects if the process ends before. */
  addresses(): Promise<Addresses>;
  stop(signal?: NodeJS.Signals): void;
  /** Closes the pipe of the output, as `| head` does. */
  stopReading(): void;
  /** Stops reading the output until `resumeReading` is called. */
  pauseReading(): void;
  resumeReading(): void;
  readonly ended: Promise<{
    readonly code: number | null;
    readonly stdout: string;
    readonly stderr: string;
  }>;
}

/**
 * Runs the program of this tree, or the source of a copy; the process ends with the test at the
 * latest.
 */
export function runMain(args: readonly string[], env: Env = {}, cwd = tmpdir(), main = MAIN): Run {
  const child = spawn(process.execPath, [main, ...args], { env: { ...COMPILED, ...env }, cwd });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    stdout,
    stderr,
  }));

  return {
    stop: (signal = 'SIGTERM') => child.kill(signal),
    stopReading: () => void child.stdout.destroy(),
    pauseReading: () => void child.stdout.pause(),
    resumeReading: () => void child.stdout.resume(),
    ended,
    printed: (pattern) =>
      find(child, ended, () => {
        const [whole, part = whole] = pattern.exec(stdout) ?? [];
        return part;
      }),
    addresses: () => find(child, ended, () => readAddresses(stdout)),
  };
}

/** The output and the exit code of a finished command. */
export type Printed = Awaited<Run['ended']>;

/**
 * Runs a command to its end in this process, with only these environment variables. A separate
 * process would need most of a second of CPU time to start.
 */
export async function runCommand(args: readonly string[], env: Env = {}): Promise<Printed> {
  const printed = { stdout: '', stderr: '' };
  const print = (stream: keyof typeof printed) => (line: string) => {
    printed[stream] += `${line}\n`;
  };
  const code = await runCli(args, {
    env,
    envFileNames: [],
    isTerminal: false,
    stdout: print('stdout'),
    stderr: print('stderr'),
    stopped: new Promise(() => {}),
    signals: { onHangup: () => undefined },
  });
  return { code, ...printed };
}

/** Reads the output again whenever there is more, until `read` finds something. */
async function find<T>(
  child: ChildProcess,
  ended: Run['ended'],
  read: () => T | undefined,
): Promise<T> {
  for (;;) {
    const found = read();
    if (found !== undefined) return found;
    const more = await Promise.race([child.stdout && once(child.stdout, 'data'), ended]);
    if (more && 'code' in more) throw new Error(`it ended with ${more.code}: ${more.stderr}`);
  }
}
