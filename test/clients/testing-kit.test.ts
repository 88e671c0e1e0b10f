import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { placePackages } from '../support/image/layout.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLES = join(ROOT, 'examples/testing');
const PACKAGES = join(import.meta.dirname, 'node_modules');
const PLAYWRIGHT_CONFIG = `module.exports = {
  testMatch: '*.spec.cjs',
  use: { launchOptions: { executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] } },
};`;

describe('the examples of the testing kit, over the package', { timeout: 180_000 }, () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'caseway-runners-'));
    const caseway = join(folder, 'node_modules/caseway');
    execFileSync(process.execPath, [join(ROOT, 'build.ts'), caseway]);
    placePackages(folder, caseway, true);
    symlinkSync(join(PACKAGES, '@playwright'), join(folder, 'node_modules/@playwright'));
    writeFileSync(join(folder, 'package.json'), '{}');
  }, 180_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Returns the output of a runner after its process has ended by itself. */
  const run = (script: string, args: readonly string[], options: readonly string[] = []): string =>
    execFileSync(process.execPath, [...options, join(PACKAGES, script), ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
      timeout: 120_000,
    });

  const runJest = (file: string, options?: readonly string[]) =>
    JSON.parse(
      run('jest/bin/jest.js', ['--json', '--detectOpenHandles', '--runTestsByPath', file], options),
    );

  it('jest runs its example, and nothing is left open', () => {
    cpSync(join(EXAMPLES, 'jest.test.cjs'), join(folder, 'jest.test.cjs'));

    expect(runJest('jest.test.cjs')).toMatchObject({ numPassedTests: 2, openHandles: [] });
  });

  it('jest runs its example as an ES module, and nothing is left open', () => {
    const [, ...lines] = readFileSync(join(EXAMPLES, 'jest.test.cjs'), 'utf8').split('\n');
    writeFileSync(
      join(folder, 'jest.test.mjs'),
      ["import { startGateway } from 'caseway/testing';", ...lines].join('\n'),
    );

    expect(runJest('jest.test.mjs', ['--experimental-vm-modules'])).toMatchObject({
      numPassedTests: 2,
      openHandles: [],
    });
  });

  it('Playwright runs its example', () => {
    cpSync(join(EXAMPLES, 'playwright.spec.cjs'), join(folder, 'example.spec.cjs'));
    writeFileSync(join(folder, 'playwright.config.cjs'), PLAYWRIGHT_CONFIG);

    expect(run('@playwright/test/cli.js', ['test'])).toContain('1 passed');
  });
});
