import { randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { openBrowser, whyNoBrowser } from '../features/playground/browser.ts';
import type { Env, GraphqlAnswer } from '../support/gateway.ts';
import { signIn, startPlatform, startWith, VIEWER } from './support.ts';

const reason = whyNoBrowser();
let browser: Browser;
beforeAll(async () => {
  if (reason === undefined) browser = await openBrowser();
});
afterAll(() => browser?.close());

async function openPage(env: Env = {}): Promise<Page> {
  const platform = await startPlatform();
  const url = await startWith({ UPSTREAM_URL: platform.url, IDENTITY: 'user', ...env });
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(`${url}/livez`);
  return page;
}

/** Asks as a script of the page does. */
const executeIn = (
  page: Page,
  query: string,
  headers: Readonly<Record<string, string>> = { 'x-csrf': '1' },
) =>
  page.evaluate(
    async ({ query, headers }): Promise<GraphqlAnswer> => {
      const sent = { 'content-type': 'application/json', ...headers };
      const response = await fetch('/graphql', {
        method: 'POST',
        headers: sent,
        body: JSON.stringify({ query }),
      });
      return { status: response.status, ...((await response.json()) as object) };
    },
    { query, headers },
  );

describe.skipIf(reason !== undefined)(
  `a real browser${reason ? ` (skipped: ${reason})` : ''}`,
  () => {
    it('signs in, sends its cookie, which scripts cannot read, and signs out', async () => {
      const page = await openPage();

      const signedIn = await executeIn(page, signIn('demo'));
      const cookies = await page.context().cookies();
      const seen = await executeIn(page, VIEWER);
      const readable = await page.evaluate('document.cookie');
      await executeIn(page, 'mutation { signOut { viewer { name } } }');
      const after = await executeIn(page, VIEWER);

      expect(signedIn.data.signIn).toMatchObject({ viewer: { name: 'demo' }, sessionToken: null });
      expect(cookies).toMatchObject([
        { name: '__Host-caseway', httpOnly: true, secure: true, sameSite: 'Strict', path: '/' },
      ]);
      expect(seen.data.viewer.name).toBe('demo');
      expect(readable).toBe('');
      expect(after.data).toEqual({ viewer: null });
      expect(await page.context().cookies()).toEqual([]);
    });

    it('follows a subscription by EventSource with its cookie, until its session has ended', async () => {
      const page = await openPage();
      await executeIn(page, signIn('demo'));
      const query = 'subscription { instances(formId: "supplier", first: 1) { totalCount } }';
      const create =
        'mutation { createInstance(input: { formId: "supplier", values: { name: "New", country: "DE", active: true } }) { instance { id } } }';

      await page.evaluate((query) => {
        const events: string[] = [];
        const source = new EventSource(`/graphql?query=${encodeURIComponent(query)}`);
        for (const type of ['next', 'complete'])
          source.addEventListener(type, (event) =>
            events.push(`${type} ${(event as MessageEvent).data}`),
          );
        Object.assign(globalThis, { events, source });
      }, query);
      const events = () => page.evaluate<string[]>('events');
      await expect.poll(async () => (await events()).length).toBe(1);
      await executeIn(page, create);
      await expect.poll(async () => (await events()).length).toBe(2);
      await executeIn(page, 'mutation { signOut { viewer { name } } }');
      // The browser opens the stream a second time, which is complete, and a third time, which is refused.
      await expect.poll(() => page.evaluate<number>('source.readyState')).toBe(2);

      const [first, second, refused, complete, ...others] = await events();
      expect(first).toMatch(/^next \{"data":\{"instances":\{"totalCount":\d+/);
      expect(second).not.toBe(first);
      expect(refused).toMatch(/^next .*"code":"UNAUTHENTICATED"/);
      expect([complete, ...others]).toEqual(['complete ']);
    });

    it('sends requests from a page of an allowed origin, and not from another', async () => {
      const other = await startWith({});
      // In development any page of this machine may ask.
      const SESSION_KEYS = randomBytes(32).toString('base64');
      const listed = await openPage({ CORS_ORIGINS: other, NODE_ENV: 'production', SESSION_KEYS });
      const target = new URL(listed.url()).origin;
      const execute = async () =>
        listed.evaluate(async (url) => {
          const headers = { 'content-type': 'application/json' };
          return fetch(`${url}/graphql`, {
            method: 'POST',
            headers,
            body: '{"query":"{__typename}"}',
          }).then(
            ({ status }) => status,
            () => 'refused',
          );
        }, target);

      await listed.goto(`${other}/livez`);
      expect(await execute()).toBe(200);
      await listed.goto(`${await startWith({})}/livez`);
      expect(await execute()).toBe('refused');
    });
  },
);
