import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest';
import { openBrowser, whyNoBrowser } from '../../features/playground/browser.ts';
import { startPlatform } from '../../identity/support.ts';
import { type Env, startGateway } from '../../support/gateway.ts';
import { CLIENT, loadVite, type Vite } from './vite.ts';

/** Settings of a gateway whose users sign in. */
export const USER_MODE = { IDENTITY: 'user' };

/** The client in a browser, with a gateway and a platform of its own. */
export interface Site {
  readonly page: Page;
  /** Address of the page, which ends with a slash. */
  readonly url: string;
  /** Calls to the platform: user, operation, status. */
  readonly calls: readonly string[];
  /** Names of the GraphQL operations that the page has sent. */
  readonly operations: readonly string[];
  /** Counts how often the page has sent an operation. */
  countOf(operation: string): number;
  /** The faults on the page: thrown errors, logged errors, requests to other origins. */
  readonly faults: readonly string[];
  /** Executes an operation as somebody else, without the page. */
  execute(query: string): Promise<unknown>;
  stopGateway(): Promise<void>;
  /** How many streams of subscriptions the gateway counts. */
  streams(): Promise<number>;
  signIn(name: string, password?: string): Promise<void>;
}

export interface SiteOptions {
  /** Settings of the gateway in addition to the ones for the sandbox. */
  readonly env?: Env | undefined;
  readonly now?: () => number;
  readonly width?: number;
}

/** Opens a browser for the tests of a file, or returns the reason why it cannot. */
export function prepareSite() {
  const reason = whyNoBrowser();
  const build = { outDir: inject('client') };
  let browser: Browser;
  let vite: Vite;
  beforeAll(async () => {
    if (reason === undefined) [browser, vite] = await Promise.all([openBrowser(), loadVite()]);
  });
  afterAll(() => browser?.close());

  async function openSite({
    env = {},
    now = Date.now,
    width = 1280,
  }: SiteOptions = {}): Promise<Site> {
    const platform = await startPlatform({ now });
    const gateway = await startGateway({
      UPSTREAM_URL: platform.url,
      UPSTREAM_USERNAME: 'demo',
      UPSTREAM_PASSWORD: 'demo',
      TYPED_FORMS: '*',
      METRICS_PORT: '0',
      ...env,
    });
    const proxy = { '/graphql': gateway.url };
    const server = await vite.preview({
      root: CLIENT,
      build,
      preview: { port: 0, proxy },
      logLevel: 'silent',
    });
    onTestFinished(server.close);
    const [url] = server.resolvedUrls.local;

    const context = await browser.newContext({ viewport: { width, height: 800 }, locale: 'en' });
    onTestFinished(() => context.close());
    const faults: string[] = [];
    const operations: string[] = [];
    context.on('weberror', (error) => faults.push(`threw ${error.error().message}`));
    context.on('console', (message) => {
      if (message.type() === 'error') faults.push(`logged ${message.text()}`);
    });
    context.on('request', (request) => {
      if (!request.url().startsWith(url) && !request.url().startsWith('data:'))
        faults.push(`requested ${request.url()}`);
      if (request.url().endsWith('/graphql')) operations.push(request.postDataJSON().operationName);
    });
    const page = await context.newPage();
    await page.goto(url);
    return {
      page,
      url,
      calls: platform.calls,
      operations,
      countOf: (operation) => operations.filter((name) => name === operation).length,
      faults,
      execute: gateway.execute,
      stopGateway: gateway.close,
      async streams() {
        const metrics = await gateway.metrics();
        return Number(/^caseway_live_streams (\d+)$/m.exec(metrics)?.[1]);
      },
      async signIn(name, password = name) {
        await page.getByLabel('User name').fill(name);
        await page.getByLabel('Password').fill(password);
        await page.getByRole('button', { name: 'Sign in' }).click();
      },
    };
  }

  return { reason, skipped: reason ? ` (skipped: ${reason})` : '', openSite };
}

/** The rows of the list, or of another table, each as the texts of its cells. */
export async function readRows(
  page: Page,
  table = '[aria-busy=false] > table',
): Promise<string[][]> {
  await page.locator(table).waitFor();
  const rows = await page.locator('tbody tr').all();
  return Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()));
}
