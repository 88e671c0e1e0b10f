import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { PACKAGES, writeApplication } from '../support/application.ts';

const ROOT = join(import.meta.dirname, '../..');
const readExample = (name: string) => readFileSync(join(ROOT, 'examples/testing', name), 'utf8');

const JEST = readExample('jest.test.cjs');
const PLAYWRIGHT_CONFIG = `module.exports = {
  testMatch: '*.spec.cjs',
  use: { launchOptions: { executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] } },
};`;

/** Runs a runner in a folder. Returns its output after its process has ended by itself. */
const run = (cwd: string, ...args: readonly string[]): string =>
  execFileSync(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'], NO_COLOR: '1' },
    encoding: 'utf8',
    stdio: 'pipe',
    timeout: 120_000,
  });

describe('the examples of the testing kit', { timeout: 180_000 }, () => {
  it.each([
    ['CommonJS', 'jest.test.cjs', JEST],
    [
      'an ES module',
      'jest.test.mjs',
      JEST.replace(/^.*\n/, "import { startGateway } from 'caseway/testing';\n"),
    ],
  ])('jest runs one as %s, and nothing is left open', (_kind, file, text) => {
    const folder = writeApplication({ 'package.json': {}, [file]: text });
    const jest = join(PACKAGES, 'jest/bin/jest.js');
    const options = ['--json', '--detectOpenHandles', '--runTestsByPath', file];

    const result = JSON.parse(run(folder, '--experimental-vm-modules', jest, ...options));

    expect(result).toMatchObject({ numPassedTests: 2, openHandles: [] });
  });

  it('Playwright runs one', () => {
    const folder = writeApplication({
      'example.spec.cjs': readExample('playwright.spec.cjs'),
      'playwright.config.cjs': PLAYWRIGHT_CONFIG,
    });

    const playwright = join(PACKAGES, '@playwright/test/cli.js');
    expect(run(folder, playwright, 'test')).toContain('1 passed');
  });

  it('vitest runs one', () => {
    const folder = writeApplication({
      'package.json': { type: 'module' },
      'example.test.ts': readExample('vitest.test.ts'),
    });

    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    // Ten seconds, the default, is too short for the hook on a busy machine.
    const output = run(folder, vitest, 'run', '--hookTimeout', '60000');

    expect(output).toMatch(/Tests +3 passed/);
  });
});
