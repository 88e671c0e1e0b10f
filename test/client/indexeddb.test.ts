import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { openBrowser, whyNoBrowser } from '../features/playground/browser.ts';
import { bundle } from './bundle.ts';

const reason = whyNoBrowser();

/** Opens the queue in a page, with a `send` that counts its calls over all tabs. */
const OPEN = `
  globalThis.queue = caseway.createOfflineQueue({
    storage: caseway.createIndexedDbStorage('changes'),
    async send() {
      localStorage.sent = Number(localStorage.sent ?? 0) + 1;
      await new Promise((resolve) => { globalThis.respond = () => resolve({ done: {} }); });
      return { done: {} };
    },
  });
`;
const add = (note: string) =>
  `queue.add({ operation: 'change', variables: {}, note: '${note}' }).then(() => undefined)`;
const NOTES = 'queue.list().then((all) => all.map(({ note }) => note))';

describe.skipIf(reason !== undefined)(
  `a queue in IndexedDB${reason ? ` (skipped: ${reason})` : ''}`,
  () => {
    let browser: Browser;
    let script: Uint8Array;
    beforeAll(async () => {
      const options = { format: 'iife', globalName: 'caseway' };
      [browser, script] = await Promise.all([
        openBrowser(),
        bundle('client/offline/index.ts', options),
      ]);
    });
    afterAll(() => browser?.close());

    /** Opens a page of an origin whose tabs share their storage. */
    async function openTab(context: BrowserContext): Promise<Page> {
      const page = await context.newPage();
      const html = `<!doctype html><script>${Buffer.from(script)}</script>`;
      // Loopback is a secure origin, which has locks.
      await page.route('http://127.0.0.1:9/', (route) =>
        route.fulfill({ contentType: 'text/html', body: html }),
      );
      await page.goto('http://127.0.0.1:9/');
      await page.evaluate(OPEN);
      return page;
    }

    async function openContext(): Promise<BrowserContext> {
      const context = await browser.newContext();
      onTestFinished(() => context.close());
      return context;
    }

    it('keeps its changes, their order and their keys over a reload', async () => {
      const page = await openTab(await openContext());
      for (const note of ['a', 'b', 'c']) await page.evaluate(add(note));
      await page.evaluate('void queue.flush()');
      await page.waitForFunction('globalThis.respond');
      const key = 'queue.list().then(([{ call }]) => call.idempotencyKey)';
      const before = await page.evaluate(key);

      await page.reload();
      await page.evaluate(OPEN);

      expect(await page.evaluate(NOTES)).toEqual(['a', 'b', 'c']);
      expect(await page.evaluate(key)).toBe(before);
      await page.evaluate('queue.list().then((all) => queue.remove(all[1].id))');
      expect(await page.evaluate(NOTES)).toEqual(['a', 'c']);
    });

    it('is sent by one tab at a time, and each change once', async () => {
      const context = await openContext();
      const one = await openTab(context);
      const other = await openTab(context);
      await one.evaluate(add('a'));
      await one.evaluate('void queue.flush()');
      await one.waitForFunction('globalThis.respond');

      await other.evaluate('globalThis.flushed = queue.flush(); undefined');
      await one.evaluate('respond()');
      const result = await other.evaluate('flushed');

      expect(result).toEqual({ changes: [], retryAfterMs: undefined });
      expect(await one.evaluate('localStorage.sent')).toBe('1');
      expect(await other.evaluate(NOTES)).toEqual([]);
    });
  },
);
