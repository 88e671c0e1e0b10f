import { createHash } from 'node:crypto';

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { startGateway } from '../../support/gateway.ts';
import { openPlayground, whyNoBrowser } from './browser.ts';
import { copyAs, newTab, openTab, run, textOf, type VisitOptions, visit } from './page-driver.ts';

const KEY = 'secret-of-web';
const OTHER_HEADER = 'secret-of-proxy';
const PASSWORD = 'demo';

const reason = whyNoBrowser();
let browser: Browser;
/** The address of a gateway where users sign in. */
let url: string;
let close: () => Promise<void>;

describe.skipIf(reason !== undefined)(reason ?? 'credentials in the playground', () => {
  beforeAll(async () => {
    const opened = await openPlayground({ IDENTITY: 'user' });
    ({ browser, close } = opened);
    url = opened.gateway.url;
  });
  afterAll(() => close?.());

  it('can be an API key and headers, set once for all tabs, where they are valid, and never stored', async () => {
    const CALLER_KEYS = `web:${createHash('sha256').update(KEY).digest('hex')}`;
    const closed = await startGateway({ TYPED_FORMS: '*', CALLER_AUTH: 'key', CALLER_KEYS });
    const page = await open(closed.url, { ready: '.page-message' });
    await page.getByRole('button', { name: 'API key' }).click();
    await page.getByLabel('API key', { exact: true }).fill('wrong');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('does not accept these credentials').waitFor();
    await page.getByRole('button', { name: 'API key' }).click();
    await page.getByLabel('API key', { exact: true }).fill(KEY);
    await page.getByLabel('Other headers').fill('not a header');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Write each header as name: value.').waitFor();
    await page.getByLabel('Other headers').fill(`X-Proxy: ${OTHER_HEADER}\n`);
    await page.getByRole('button', { name: 'Apply' }).click();

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
    const page = await open(url);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await signIn(page, 'demo', 'wrong');
    await page.getByText('The platform rejects this user name').waitFor();
    await signIn(page, 'demo', PASSWORD);
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    await page.reload();
    await page.evaluate(RECORD_WRITES);
    await page.getByRole('button', { name: 'demo' }).waitFor();
    await openTab(page, 'ListInstances');
    expect((await run(page, 'ListInstances')).errors).toBeUndefined();

    await expectNothingStored(page, ['password', 'wrong']);
    await page.getByRole('button', { name: 'demo' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password').waitFor();
    await page.keyboard.press('Escape');
    await openTab(page, 'ListInstances');
    await run(page, 'ListInstances');
    await expect.poll(() => textOf(page, 'response')).toContain('UNAUTHENTICATED');
  });

  it('are asked for where a request needs them, and a user of the sandbox signs in with one click', async () => {
    const page = await open(url);
    await openTab(page, 'ListInstances');
    await run(page, 'ListInstances');
    await page.locator('.status-line').getByRole('button', { name: 'Sign in' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('username');
    const { users } = await readConfig(url);
    for (const { username, about } of users) {
      await dialog.getByRole('button', { name: `${username} ${about}`, exact: true }).waitFor();
    }

    await dialog.getByRole('button', { name: 'reader' }).click();

    await dialog.waitFor({ state: 'hidden' });
    expect((await run(page, 'ListInstances')).errors).toBeUndefined();
    expect(
      await page.locator('.status-line').getByRole('button', { name: 'Sign in' }).count(),
    ).toBe(0);
    const code = await copyAs(page, 'fetch');
    expect(code).toContain("'authorization': 'YOUR_AUTHORIZATION'");
    const cookies = await page.context().cookies();
    expect(cookies).not.toEqual([]);
    for (const { value } of cookies) expect(code).not.toContain(value);
  });

  it('are not stored when typed as a query', async () => {
    const page = await open(url);
    await page.locator('.graphiql-query-editor .monaco-editor').first().click();
    await page.keyboard.press('ControlOrMeta+A');
    const login =
      'mutation Mine { signIn(input: { username: "demo", password: "typed-secret" }) { sessionToken } }';
    await page.keyboard.insertText(login);
    await page.getByRole('tab', { name: 'Mine' }).waitFor();
    await run(page, 'Mine');
    await page.locator('.graphiql-query-editor .monaco-editor').first().click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText('query Mine { __typename }');

    await expectNothingStored(page, ['typed-secret']);
  });
});

/** Reads how the page may sign in. */
async function readConfig(address: string) {
  const response = await fetch(`${address}/playground/config.json`);
  const config: unknown = await response.json();
  return config as {
    readonly users: readonly { readonly username: string; readonly about: string }[];
  };
}

async function open(address: string, options: VisitOptions = {}): Promise<Page> {
  const { page, leave } = await visit(browser, address, options);
  onTestFinished(async () => void (await leave()));
  await page.evaluate(RECORD_WRITES);
  return page;
}

async function signIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
}

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
