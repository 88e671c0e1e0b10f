import type { Browser, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import type { Bundle } from '../../../examples/web/bundle.ts';
import { createPageServer } from '../../../examples/web/server.ts';

import { startPlatform } from '../../identity/support.ts';
import { startGateway } from '../../support/gateway.ts';
import { listen } from '../../support/listen.ts';

/** The page as it is served to somebody who opens it, with all that is behind it. */
export interface Site {
  readonly page: Page;
  readonly url: string;
  /** What the platform was asked, by whom. */
  readonly calls: readonly string[];
  stopGateway(): Promise<void>;
  /** What was wrong on the page: errors that were thrown or said, and requests to other origins. */
  readonly faults: readonly string[];
  signIn(name: string, password?: string): Promise<void>;
}

/** What a page is opened with. */
export interface SiteOptions {
  readonly browser: Browser;
  readonly bundle: Bundle;
  readonly now?: () => number;
  readonly width?: number;
}

/** Opens the page over a gateway and a platform of its own; all of it ends with the test. */
export async function openSite({ browser, bundle, now = Date.now, width = 1280 }: SiteOptions): Promise<Site> {
  const platform = await startPlatform({ now });
  const own = { UPSTREAM_URL: platform.url, UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' };
  const gateway = await startGateway({
    ...own,
    IDENTITY: 'user',
    TYPED_FORMS: '*',
    TYPED_RULES: 'approval-level@1.0',
  });
  onTestFinished(gateway.close);
  const url = await listen(createPageServer(bundle, gateway.url));

  const context = await browser.newContext({ viewport: { width, height: 800 }, locale: 'en' });
  onTestFinished(() => context.close());
  const faults: string[] = [];
  context.on('weberror', (error) => faults.push(`threw ${error.error().message}`));
  context.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) faults.push(`asked ${request.url()}`);
  });
  context.on('console', (message) => {
    if (message.type() === 'error') faults.push(`said ${message.text()}`);
  });
  const page = await context.newPage();
  await page.goto(url);
  return {
    page,
    url,
    calls: platform.calls,
    faults,
    stopGateway: gateway.close,
    async signIn(name, password = name) {
      await page.getByLabel('User name').fill(name);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
    },
  };
}

/** The rows of the inbox, each as the texts of its cells. */
export async function readRows(page: Page): Promise<string[][]> {
  await page.locator('[aria-busy=false] > table').waitFor();
  const rows = await page.locator('tbody tr').all();
  return Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()));
}
