import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

import { placePackages } from '../support/image/layout.ts';

const ROOT = join(import.meta.dirname, '../..');
const CONFIG = `module.exports = {
  testMatch: '*.spec.cjs',
  use: { launchOptions: { executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] } },
};`;

it('Playwright runs the example of the testing kit over the package', { timeout: 180_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'caseway-playwright-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const caseway = join(folder, 'node_modules/caseway');
  execFileSync(process.execPath, [join(ROOT, 'build.ts'), caseway]);
  placePackages(folder, caseway, true);
  symlinkSync(join(import.meta.dirname, 'node_modules/@playwright'), join(folder, 'node_modules/@playwright'));
  cpSync(join(ROOT, 'examples/testing/playwright.spec.cjs'), join(folder, 'example.spec.cjs'));
  writeFileSync(join(folder, 'playwright.config.cjs'), CONFIG);

  const cli = join(import.meta.dirname, 'node_modules/@playwright/test/cli.js');
  const printed = execFileSync(process.execPath, [cli, 'test'], { cwd: folder, encoding: 'utf8' });

  expect(printed).toContain('1 passed');
});
