import { createHash } from 'node:crypto';

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { startGateway } from '../../support/gateway.ts';
import {
  clickButton,
  copyAs,
  newTab,
  openPage,
  openTab,
  run,
  sharePlayground,
  textOf,
  typeQuery,
  whyNoBrowser,
} from './browser.ts';

const KEY = 'secret-of-web';
const OTHER_HEADER = 'secret-of-proxy';

const reason = whyNoBrowser();

describe.skipIf(reason !== undefined)(reason ?? 'credentials in the playground', () => {
  /** Its users sign in. */
  const playground = sharePlayground({ IDENTITY: 'user' });

  async function open(url = playground.gateway.url, options: { ready?: string } = {}) {
    const page = await openPage(playground.browser, url, { mayFail: true, ...options });
    await page.evaluate(RECORD_WRITES);
    return page;
  }

  it('can be an API key and headers, set once for all tabs, where they are valid, and never stored', async () => {
    const CALLER_KEYS = `web:${createHash('sha256').update(KEY).digest('hex')}`;
    const closed = await startGateway({ TYPED_FORMS: '*', CALLER_AUTH: 'key', CALLER_KEYS });
    const page = await open(closed.url, { ready: '.page-message' });
    const dialogButton = page.getByRole('button', { name: 'API key' });
    const key = page.getByLabel('API key', { exact: true });
    const otherHeaders = page.getByLabel('Other headers');
    await dialogButton.click();
    await key.fill('wrong');
    await clickButton(page, 'Apply');
    await page.getByText('does not accept these credentials').waitFor();
    await dialogButton.click();
    await key.fill(KEY);
    await otherHeaders.fill('not a header');
    await clickButton(page, 'Apply');
    await page.getByText('Write each header as name: value.').waitFor();
    await otherHeaders.fill(`X-Proxy: ${OTHER_HEADER}\n`);
    await clickButton(page, 'Apply');

    for (const name of ['PurchaseRequests', 'ListInstances']) {
      await openTab(page, name);
      const { sentHeaders, errors } = await run(page, name);
      expect(errors).toBeUndefined();
      expect(sentHeaders).toMatchObject({ 'x-api-key': KEY, 'x-proxy': OTHER_HEADER });
    }

    await expectNothingStored(page, [KEY, OTHER_HEADER]);
    expect(await copyAs(page, 'cURL')).toContain('-H "x-api-key: $X_API_KEY"');
    for (const client of ['cURL', 'fetch', 'caseway/client', 'Apollo Client', 'urql']) {
      const code = await copyAs(page, client);
      expect(code).toMatch(/x-api-key/);
      expect(code).not.toMatch(new RegExp(`${KEY}|${OTHER_HEADER}`));
    }
    await page.reload();
    await page.getByText('Set your credentials to load the schema.').waitFor();
  });

  it('can be a sign-in whose session survives a reload and whose password is never stored', async () => {
    const page = await open();
    const dialog = page.getByRole('dialog');
    const signIn = async (password: string) => {
      await page.getByLabel('User name').fill('demo');
      await page.getByLabel('Password').fill(password);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
    };
    await page.getByRole('button', { name: 'Sign in' }).click();
    await signIn('wrong-secret');
    await page.getByText('The platform rejects this user name').waitFor();
    await signIn('demo');
    await dialog.waitFor({ state: 'hidden' });

    await page.reload();
    await page.evaluate(RECORD_WRITES);
    const session = page.getByRole('button', { name: 'demo' });
    await session.waitFor();
    await openTab(page, 'ListInstances');
    expect((await run(page, 'ListInstances')).errors).toBeUndefined();

    await expectNothingStored(page, ['password', 'wrong-secret']);
    await session.click();
    await clickButton(page, 'Sign out');
    await page.getByLabel('Password').waitFor();
    await page.keyboard.press('Escape');
    await openTab(page, 'ListInstances');
    await run(page, 'ListInstances');
    await expect.poll(() => textOf(page, 'response')).toContain('UNAUTHENTICATED');
  });

  it('are asked for where a request needs them, and a user of the sandbox signs in with one click', async () => {
    const page = await open();
    await openTab(page, 'ListInstances');
    await run(page, 'ListInstances');
    const signIn = page.locator('.status-line').getByRole('button', { name: 'Sign in' });
    await signIn.click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('username');
    const config = await fetch(`${playground.gateway.url}/playground/config.json`);
    const { users } = (await config.json()) as { users: { username: string; about: string }[] };
    for (const { username, about } of users) {
      await dialog.getByRole('button', { name: `${username} ${about}`, exact: true }).waitFor();
    }

    await dialog.getByRole('button', { name: 'reader' }).click();

    await dialog.waitFor({ state: 'hidden' });
    expect((await run(page, 'ListInstances')).errors).toBeUndefined();
    expect(await signIn.count()).toBe(0);
    const code = await copyAs(page, 'fetch');
    expect(code).toContain("'authorization': 'YOUR_AUTHORIZATION'");
    const cookies = await page.context().cookies();
    expect(cookies).not.toEqual([]);
    for (const { value } of cookies) expect(code).not.toContain(value);
  });

  it('are not stored when typed as a query', async () => {
    const page = await open();
    await typeQuery(
      page,
      'mutation Mine { signIn(input: { username: "demo", password: "typed-secret" }) { sessionToken } }',
    );
    await page.getByRole('tab', { name: 'Mine' }).waitFor();
    await run(page, 'Mine');
    await typeQuery(page, 'query Mine { __typename }');

    await expectNothingStored(page, ['typed-secret']);
  });
});

/** Records all that the page writes into its storage from now on. */
const RECORD_WRITES = `
  globalThis.writes = [];
  const { setItem } = Storage.prototype;
  Storage.prototype.setItem = function (key, value) {
    writes.push(key + ' ' + value);
    setItem.call(this, key, value);
  };
`;

/**
 * Waits until the page has stored its tabs and its history, which it does late, and looks through
 * all that it ever wrote.
 */
async function expectNothingStored(page: Page, secrets: readonly string[]): Promise<void> {
  await newTab(page, 'query Last { __typename }');
  await page.getByRole('tab', { name: 'Last' }).waitFor();
  await run(page, 'Last');
  const writes = () => page.evaluate<readonly string[]>('writes');
  for (const key of ['tabState', 'queries']) {
    const isLast = (write: string) =>
      write.startsWith(`caseway:graphiql:${key} `) && write.includes('query Last');
    await expect.poll(async () => (await writes()).some(isLast)).toBe(true);
  }

  const stored = await page.evaluate<string>(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }])',
  );
  const databases = await page.evaluate('indexedDB.databases()');
  expect(databases).toEqual([]);
  for (const secret of secrets) expect([...(await writes()), stored].join()).not.toContain(secret);
}
