import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';

import { type Env, startGateway, type TestGateway } from '../../support/gateway.ts';

const CHROMIUM = '/usr/bin/chromium';

/**
 * Why no browser can be driven here, or `undefined`. On a build server a missing browser is a
 * failure, not a reason.
 */
export function whyNoBrowser(): string | undefined {
  return existsSync(CHROMIUM) || process.env['CI']
    ? undefined
    : `Chromium is not installed at ${CHROMIUM}`;
}

/** A browser that asks nothing on its own account. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}

/** Builds the playground, and shares a gateway and a browser between the tests of a `describe`. */
export function sharePlayground(env: Env = {}) {
  const shared = {} as { gateway: TestGateway; browser: Browser };
  beforeAll(async () => {
    // It is built where it has changed, so that a test never drives an old one.
    await promisify(execFile)(process.execPath, [
      join(import.meta.dirname, '../../../playground/build.mjs'),
    ]);
    shared.browser = await openBrowser();
    shared.gateway = await startGateway({ TYPED_FORMS: '*', ...env });
  });
  afterAll(async () => {
    await shared.browser?.close();
    await shared.gateway?.close();
  });
  return shared;
}

interface VisitOptions extends BrowserContextOptions {
  /** The selector to wait for; by default the query editor. */
  readonly ready?: string;
  /** Whether the page may log errors, because the test provokes them. */
  readonly mayFail?: boolean;
}

/**
 * Opens the playground in an empty browser context, from the root, and waits until a query can be
 * run. `leave` closes the page, and expects no error on it and no request to another origin.
 */
export async function visit(
  browser: Browser,
  url: string,
  { ready = EDITOR_LINE, mayFail = false, ...options }: VisitOptions = {},
) {
  const context = await browser.newContext({ acceptDownloads: true, ...options });
  // Longer than by default, for a busy machine.
  context.setDefaultTimeout(90_000);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const faults: string[] = [];
  const origins = [`${new URL(url).origin}/`, 'data:', 'blob:'];
  context.on('request', (request) => {
    const address = request.url();
    if (!origins.some((origin) => address.startsWith(origin))) faults.push(`requested ${address}`);
  });
  context.on('console', (message) => {
    if (message.type() === 'error') faults.push(`logged ${message.text()}`);
  });
  context.on('weberror', (error) => faults.push(`threw ${error.error().message}`));

  const page = await context.newPage();
  await page.goto(url);
  await page.locator(ready).first().waitFor();
  const leave = async () => {
    await context.close();
    if (!mayFail) expect(faults).toEqual([]);
  };
  return { page, leave };
}

/** Opens the playground like `visit`, and leaves it when the test ends. */
export async function openPage(...args: Parameters<typeof visit>): Promise<Page> {
  const { page, leave } = await visit(...args);
  onTestFinished(leave);
  return page;
}

const EDITOR_LINE = '.graphiql-query-editor .view-line';

/** Clicks the button with this name. */
export const clickButton = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();

/** The button that runs the open tab. */
export const executeButton = (page: Page) => page.getByRole('button', { name: /^Execute query/ });

/** Turns to a tab. */
export async function openTab(page: Page, name: string): Promise<void> {
  await page.locator('.graphiql-tab-button', { hasText: new RegExp(`^${name}$`) }).click();
  await page.locator(EDITOR_LINE, { hasText: name }).first().waitFor();
}

/** Opens a sample from the panel. */
export async function openSample(page: Page, name: string): Promise<void> {
  await page.locator('.sample', { has: page.locator(`.sample-name:text-is("${name}")`) }).click();
  await page.locator(EDITOR_LINE, { hasText: name }).first().waitFor();
}

/** A GraphQL response, with the headers and variables of its request. */
interface Exchange {
  readonly sentHeaders: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, unknown>>;
  readonly errors?: unknown;
}

/** Runs the open tab with its button and returns the response to the named operation. */
export async function run(page: Page, name: string): Promise<Exchange> {
  const answered = page.waitForResponse(
    (response) =>
      response.url().endsWith('/graphql') &&
      response.request().postDataJSON()?.operationName === name,
  );
  await executeButton(page).click();
  const response = await answered;
  const request = response.request();
  const { variables } = request.postDataJSON();
  const sentHeaders = await request.allHeaders();
  const exchange = { sentHeaders, variables, ...(await response.json()) };
  await page.locator('.status-line:is([data-state=answered], [data-state=errors])').waitFor();
  return exchange;
}

/** Replaces the query of the open tab. */
export async function typeQuery(page: Page, query: string): Promise<void> {
  await page.locator('.graphiql-query-editor .monaco-editor').first().click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(query);
}

/** Opens a new tab with a query in place of its own. */
export async function newTab(page: Page, query: string): Promise<void> {
  await clickButton(page, 'New tab');
  await typeQuery(page, query);
}

/** Replaces the content of the variables pane. */
export async function typeVariables(page: Page, variables: object): Promise<void> {
  await page.locator('.graphiql-editor-tool .monaco-editor').first().click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(JSON.stringify(variables));
  // The editor closes quotes and brackets by itself, behind the ones that were just typed.
  await page.keyboard.press('ControlOrMeta+Shift+End');
  await page.keyboard.press('Delete');
}

/** Copies the query as code for a client. */
export async function copyAs(page: Page, client: string): Promise<string> {
  await clickButton(page, 'Copy as code');
  await page.getByRole('menuitem', { name: client, exact: true }).click();
  await page.getByText(`${client} code copied.`).waitFor({ state: 'attached' });
  return clipboard(page);
}

/** Reads the clipboard. */
export const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');

/** Reads the parts of the status line. */
export const statusParts = (page: Page) => page.locator('.status-part').allInnerTexts();

/** The names on the tabs, from left to right. */
export const tabNames = (page: Page) => page.getByRole('tab').allInnerTexts();

/** Reads the text of a pane without line numbers. Wrapped lines count as one. */
export async function textOf(
  page: Page,
  pane: 'query-editor' | 'editor-tool' | 'response',
): Promise<string> {
  const lines = await page.locator(`.graphiql-${pane} .view-line:visible`).allInnerTexts();
  return lines.join('\n').replaceAll('\u00A0', ' ');
}
