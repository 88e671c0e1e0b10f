import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

import { COMPILED } from '../../support/run.ts';

const MAIN = join(import.meta.dirname, '../../../examples/mobile-offline/main.ts');

/** In a checkout the package is its sources. */
const SOURCES = ['--conditions=caseway-source'];

/** The output and the exit code of a run of the client. */
export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Creates a device for the test. Each call runs the client once, as a process, with the device's
 * folder.
 */
export function createTestDevice(url: string) {
  const folder = join(mkdtempSync(join(tmpdir(), 'device-')), 'kept');
  onTestFinished(() => rmSync(join(folder, '..'), { recursive: true }));

  const run = async (words: readonly string[], { at = url, input = '' } = {}): Promise<Printed> => {
    const env = { ...COMPILED, CASEWAY_URL: at, CASEWAY_FOLDER: folder };
    const child = spawn(process.execPath, [...SOURCES, MAIN, ...words], { env });
    child.stdin.end(input);
    const [[code], stdout, stderr] = await Promise.all([
      once(child, 'close'),
      text(child.stdout),
      text(child.stderr),
    ]);
    return { code: code as number, stdout, stderr };
  };
  return {
    folder,
    run: (...words: string[]) => run(words),
    runAt: (at: string, ...words: string[]) => run(words, { at }),
    signIn: (name: string, password = name) => run(['sign-in', name], { input: `${password}\n` }),
  };
}
