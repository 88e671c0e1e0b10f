import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { writeFolder } from '../../../support/folder.ts';
import { startFormPlatform } from '../../../support/form-platform.ts';
import { startGateway } from '../../../support/gateway.ts';
import { openBrowser, whyNoBrowser } from '../../playground/browser.ts';

const LOOKS = [
  { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
  { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
] as const;

/** A gateway with something in each part of its page; `url` is the page's address. */
async function startTroubled() {
  const platform = await startFormPlatform([
    { idForm: 'supplier', fields: [{ name: 'name', type: 'text' }] },
    { idForm: 'bare-form-with-a-long-name-that-has-no-fields' },
  ]);
  const { execute, metricsUrl, close } = await startGateway({
    ...platform.env,
    METRICS_PORT: '0',
    UPSTREAM_CALLS_PER_MINUTE: '60',
    EXTENSIONS: writeFolder({ 'own.js': 'export default { typeDefs: "extend type Nowhere { a: Int }" };' }),
  });
  onTestFinished(close);
  for (const formId of ['supplier', 'a', 'b']) await execute(`{ instances(formId: "${formId}") { nodes { id } } }`);
  return String(new URL('/status', metricsUrl));
}

const reason = whyNoBrowser();

describe.skipIf(reason !== undefined)(`the status page in a browser${reason ? `: ${reason}` : ''}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it.each(LOOKS)('has no overflow, axe violation or error: $viewport.width, $colorScheme', async (look) => {
    const page = await browser.newPage(look);
    onTestFinished(() => page.close());
    const errors: string[] = [];
    page.on('console', (message) => errors.push(message.text()));

    await page.goto(await startTroubled());
    const shot = process.env['STATUS_SCREENSHOT'];
    if (shot) await page.screenshot({ path: `${shot}-${look.viewport.width}-${look.colorScheme}.png`, fullPage: true });
    const width = await page.evaluate('document.documentElement.scrollWidth');
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');

    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(['Readiness', 'Status', 'Gauges']);
    expect(
      await page
        .getByRole('table', { name: /call budget/ })
        .getByRole('rowheader')
        .allTextContents(),
    ).toEqual([...['read', 'write', 'sign-in', 'poll']]);
    expect(width).toBe(look.viewport.width);
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => String(target))])).toEqual([]);
    expect(errors).toEqual([]);
  });
});
