import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isatty } from 'node:tty';
import { parseEnv } from 'node:util';

// Without a listener SIGHUP ends the process, also while the rest of it is loaded.
if (!isatty(0)) process.on('SIGHUP', () => undefined);
const { runCli } = await import('./cli/run.ts');

/** Ctrl+C under npm arrives twice: from the terminal, sent to the whole process group, and passed on by npm. */
const REPEATED_SIGNAL_MS = 1_000;

let isOutputLost = false;
process.stdout.on('error', checkOutputError);
process.stderr.on('error', checkOutputError);

const code = await runCli(process.argv.slice(2), {
  envFileNames: loadEnvFile(),
  env: process.env,
  isTerminal: process.stdout.isTTY === true,
  stdout: (line) => void process.stdout.write(`${line}\n`),
  stderr: (line) => void process.stderr.write(`${line}\n`),
  stopped: untilStopped(),
  signals: { onHangup },
});
process.exitCode = code || Number(isOutputLost);

/**
 * The reader of the output may leave early, as `| head -1` does: the command runs on, and ends as it would. On a full disk it
 * runs on as well, since a gateway has to serve, and fails at its end.
 */
function checkOutputError(error: Error & { readonly code?: string }): void {
  if (error.code === 'ENOSPC') isOutputLost = true;
  else if (error.code !== 'EPIPE') throw error;
}

/**
 * Adds `.env` of the working folder to the environment, whose variables take precedence. Returns
 * the names in the file. An unreadable file ends the process like invalid settings.
 */
function loadEnvFile(): readonly string[] {
  if (!existsSync('.env')) return [];
  try {
    const text = readFileSync('.env', 'utf8');
    process.loadEnvFile('.env');
    return Object.keys(parseEnv(text));
  } catch (error) {
    const { code } = error as { readonly code?: string };
    const remedy = 'Make it a file that this user can read, or remove it.';
    process.stderr.write(`Cannot read ${resolve('.env')}: ${code}. ${remedy}\n`);
    process.exit(2);
  }
}

/** Resolves at the first SIGINT or SIGTERM, or SIGHUP of a terminal that closes; one that comes more than a second later ends the process at once. */
function untilStopped(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const signals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM'];
  if (isatty(0)) signals.push('SIGHUP');
  const stop = () => {
    resolve();
    // The next signal finds no listener, which ends the process.
    const removeListeners = () => {
      for (const signal of signals) process.off(signal, stop);
    };
    setTimeout(removeListeners, REPEATED_SIGNAL_MS).unref();
  };
  for (const signal of signals) process.on(signal, stop);
  return promise;
}

/** Calls a listener at each SIGHUP, but where that is a terminal which closes. */
function onHangup(listener: () => void): void {
  if (!isatty(0)) process.on('SIGHUP', listener);
}
