import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { bundle } from '../client/bundle.ts';
import { openBrowser, whyNoBrowser } from '../features/playground/browser.ts';
import { PACKAGES } from '../support/application.ts';
import { shareGateway } from '../support/gateway.ts';
import { listen } from '../support/listen.ts';
import { startConnection, startStreams } from './streams.ts';

const reason = whyNoBrowser();
const WEB = join(import.meta.dirname, '../../examples/web/node_modules');
const RENAME = `mutation ($name: String) {
  updateSupplier(input: { instanceId: "1", values: { name: $name } }) { instance { id } }
}`;
const AGE_MS = 70_000;

const gateway = shareGateway({ TYPED_FORMS: '*', METRICS_PORT: '0' });
let browser: Browser;
let script: Uint8Array;
beforeAll(async () => {
  if (reason !== undefined) return;
  const alias = { react: join(PACKAGES, 'react'), 'react-dom': join(WEB, 'react-dom') };
  // The folder's tsconfig.json names the sources instead of the package.
  const options = { jsx: 'automatic', alias, tsconfigRaw: {} };
  browser = await openBrowser();
  script = await bundle('test/clients/live-list.tsx', options);
});
afterAll(() => browser?.close());

describe.skipIf(reason !== undefined).each(['apollo', 'urql'])(
  `a live list with %s${reason ? ` (skipped: ${reason})` : ''}`,
  (library) => {
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

    const expectConnection = (page: Page, connection: string) =>
      expect.poll(() => page.locator('output').innerText()).toBe(connection);
    const sinceOf = (page: Page) => page.locator('time').innerText();
    const rename = (name: string) => gateway.dataOf(RENAME, { name });
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
      await expectConnection(page, 'live');
      operations.length = 0;

      await rename(`Seen by ${library}`);
      await page.getByText(`Seen by ${library}`).waitFor();

      expect(await page.locator('li').count()).toBe(3);
      expect(operations).toEqual([]);
      expect(await sinceOf(page)).toBe('');
    });

    it('closes its stream while the page is hidden, and then shows the changes', async () => {
      const page = await open(gateway.url);
      await expectConnection(page, 'live');
      const hiddenAtMs = Date.now();

      await setVisibility(page, 'hidden');
      await expect.poll(streams).toBe(0);
      await expectConnection(page, 'paused');
      expect(Number(await sinceOf(page))).toBeGreaterThanOrEqual(hiddenAtMs);
      await rename(`Renamed while ${library} was hidden`);
      await setVisibility(page, 'visible');
      await page.getByText(`Renamed while ${library} was hidden`).waitFor();

      await expectConnection(page, 'live');
      expect(await sinceOf(page)).toBe('');
    });

    it('is closed while the application pauses it, and follows other variables', async () => {
      const page = await open(gateway.url);
      await expectConnection(page, 'live');

      await page.getByRole('button', { name: 'Pause' }).click();
      await expect.poll(streams).toBe(0);
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('button', { name: 'Pause' }).click();
      await expectConnection(page, 'live');

      await expect.poll(() => page.locator('li').count()).toBe(5);
      expect(await streams()).toBe(1);
    });

    it('is not called live while its stream is lost, and shows the changes since', async () => {
      const { url, cut } = await startConnection(gateway.url);
      const page = await open(url);
      await expectConnection(page, 'live');
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
      const url = await startStreams([
        { data },
        { data: { suppliers: null }, errors: [{ message: 'Not now.' }], extensions: { stale } },
      ]);
      const page = await open(url, data);

      await expectConnection(page, 'stale');

      expect(await page.locator('li').allInnerTexts()).toEqual(['Desks']);
      expect(Date.now() - Number(await sinceOf(page))).toBeGreaterThanOrEqual(AGE_MS);
      expect(await page.getByRole('alert').innerText()).toContain('Not now.');
    });

    it('is off if the gateway refuses it', async () => {
      const server = createServer((_request, response) => {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end('{"errors":[{"message":"There are no live queries."}]}');
      });
      const page = await open(await listen(server));

      await expectConnection(page, 'off');
    });
  },
);
