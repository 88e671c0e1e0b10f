import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

/**
 * Draws docs/playground.png for the README (`npm run -s screenshot`): the first visit to the
 * playground of a new sandbox.
 */
const ROOT = join(import.meta.dirname, '..');
const SAMPLE = 'PurchaseRequests';

const gateway = spawn(process.execPath, [join(ROOT, 'src/main.ts')], {
  env: { PORT: '0', SANDBOX_FILE: ':memory:', LOG_LEVEL: 'silent' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
try {
  const page = await browser.newPage({
    viewport: { width: 1120, height: 660 },
    colorScheme: 'light',
  });
  await page.goto(await printedUrl());
  await page.locator('.graphiql-query-editor .view-line', { hasText: SAMPLE }).first().waitFor();
  await page.getByRole('button', { name: /^Execute query/ }).click();
  await page.locator('.status-line[data-state=answered]').waitFor();
  // The editors colour their lines after showing them.
  await page
    .locator('.view-line .mtk1', { hasText: 'name' })
    .first()
    .waitFor({ state: 'detached' });
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(ROOT, 'docs/playground.png') });
} finally {
  await browser.close();
  gateway.kill();
  await once(gateway, 'close');
}

async function printedUrl(): Promise<string> {
  for await (const line of createInterface({ input: gateway.stdout })) {
    const url = /playground +(\S+)/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('The gateway ended without serving a playground.');
}
