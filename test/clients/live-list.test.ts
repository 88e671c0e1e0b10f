import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { bundle } from '../client/bundle.ts';
import { openBrowser, whyNoBrowser } from '../features/playground/browser.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { listen } from '../support/listen.ts';
import { startConnection, startScript } from './streams.ts';

const reason = whyNoBrowser();
const ROOT = join(import.meta.dirname, '../..');
const RENAME = `mutation ($name: String) {
  updateSupplier(input: { instanceId: "1", values: { name: $name } }) { instance { id } }
}`;
const AGE_MS = 70_000;

describe.skipIf(reason !== undefined).each(['apollo', 'urql'])(
  `a live list with %s${reason ? ` (skipped: ${reason})` : ''}`,
  (library) => {
    let browser: Browser;
    let script: Uint8Array;
    let gateway: TestGateway;
    beforeAll(async () => {
      const installed = join(import.meta.dirname, 'node_modules');
      [browser, script, gateway] = await Promise.all([
        openBrowser(),
        bundle('test/clients/live-list.tsx', {
          jsx: 'automatic',
          nodePaths: [installed],
          alias: {
            react: join(installed, 'react'),
            'react-dom': join(ROOT, 'examples/web/node_modules/react-dom'),
          },
        }),
        startGateway({ TYPED_FORMS: '*', METRICS_PORT: '0' }),
      ]);
    });
    afterAll(() => Promise.all([browser?.close(), gateway?.close()]));

    /** Opens the page on the origin of a gateway, or with this data of its query. */
    async function open(url: string, data?: object): Promise<Page> {
      const context = await browser.newContext();
      onTestFinished(() => context.close());
      const page = await context.newPage();
      const html = `<!doctype html><body><script type="module">${Buffer.from(script)}</script>`;
      await page.route('**/list', (route) =>
        route.fulfill({ contentType: 'text/html', body: html }),
      );
      await page.route('**/graphql', (route) => {
        const isQuery = route.request().postDataJSON().query.startsWith('query');
        return data && isQuery ? route.fulfill({ json: { data } }) : route.continue();
      });
      await page.goto(`${url}/list#${library}`);
      return page;
    }

    const connectionOf = (page: Page) => page.locator('output').innerText();
    const sinceOf = async (page: Page) => Number(await page.locator('time').innerText());
    const rename = (name: string) => gateway.execute(RENAME, { name });
    const streams = async () =>
      Number(/^caseway_live_streams (\d+)$/m.exec(await gateway.metrics())?.[1]);
    const setVisibility = (page: Page, state: 'hidden' | 'visible') =>
      page.evaluate(`
        Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
        document.dispatchEvent(new Event('visibilitychange'));
      `);

    it('shows the changes of others, without another query', async () => {
      const page = await open(gateway.url);
      const operations: string[] = [];
      page.on('request', (request) => operations.push(request.url()));
      await expect.poll(() => connectionOf(page)).toBe('live');
      operations.length = 0;

      await rename(`Seen by ${library}`);
      await page.getByText(`Seen by ${library}`).waitFor();

      expect(await page.locator('li').count()).toBe(3);
      expect(operations).toEqual([]);
      expect(await page.locator('time').innerText()).toBe('');
    });

    it('closes its stream while the page is hidden, and then shows the changes', async () => {
      const page = await open(gateway.url);
      await expect.poll(() => connectionOf(page)).toBe('live');
      const hiddenAtMs = Date.now();

      await setVisibility(page, 'hidden');
      await expect.poll(streams).toBe(0);
      const hidden = [await connectionOf(page), (await sinceOf(page)) >= hiddenAtMs];
      await rename(`Renamed while ${library} was hidden`);
      await setVisibility(page, 'visible');
      await page.getByText(`Renamed while ${library} was hidden`).waitFor();

      expect(hidden).toEqual(['paused', true]);
      await expect.poll(() => connectionOf(page)).toBe('live');
      expect(await page.locator('time').innerText()).toBe('');
    });

    it('is closed while the application pauses it, and follows other variables', async () => {
      const page = await open(gateway.url);
      await expect.poll(() => connectionOf(page)).toBe('live');

      await page.getByRole('button', { name: 'Pause' }).click();
      await expect.poll(streams).toBe(0);
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('button', { name: 'Pause' }).click();
      await expect.poll(() => connectionOf(page)).toBe('live');

      await expect.poll(() => page.locator('li').count()).toBe(5);
      expect(await streams()).toBe(1);
    });

    it('is not called live while its stream is lost, and shows the changes since', async () => {
      const { url, cut } = await startConnection(gateway.url);
      const page = await open(url);
      await expect.poll(() => connectionOf(page)).toBe('live');
      await page.evaluate(`
        globalThis.seen = [];
        new MutationObserver(() => seen.push(document.querySelector('output').textContent))
          .observe(document.querySelector('output'), { characterData: true, subtree: true });
      `);

      cut();
      await rename(`Renamed while ${library} was away`);
      await page.getByText(`Renamed while ${library} was away`).waitFor();

      await expect.poll(() => page.evaluate('seen')).toEqual(['reconnecting', 'live']);
    });

    it('keeps its rows, with the time since which they are stale, and has the error', async () => {
      const node = { __typename: 'Supplier', id: 'x', name: 'Desks' };
      const data = { suppliers: { __typename: 'SupplierConnection', nodes: [node] } };
      const stale = [{ operation: 'getFormIntances', ageMs: AGE_MS }];
      const url = await startScript([
        { data },
        { data: { suppliers: null }, errors: [{ message: 'Not now.' }], extensions: { stale } },
      ]);
      const page = await open(url, data);

      await expect.poll(() => connectionOf(page)).toBe('stale');

      expect(await page.locator('li').allInnerTexts()).toEqual(['Desks']);
      expect(Date.now() - (await sinceOf(page))).toBeGreaterThanOrEqual(AGE_MS);
      expect(await page.getByRole('alert').innerText()).toContain('Not now.');
    });

    it('is off if the gateway refuses it', async () => {
      const server = createServer((_request, response) => {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end('{"errors":[{"message":"There are no live queries."}]}');
      });
      const page = await open(await listen(server));

      await expect.poll(() => connectionOf(page)).toBe('off');
    });
  },
);
