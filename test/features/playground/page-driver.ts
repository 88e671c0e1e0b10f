import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/**
 * A GraphQL answer as it went over the wire, with the headers and variables that were sent for it.
 */
export interface Exchange {
  readonly sentHeaders: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, unknown>>;
  readonly errors?: unknown;
}

/** A reader's visit, from an empty browser. */
export interface Visit {
  readonly page: Page;
  /** Ends the visit and returns its faults: errors on the page and requests to other origins. */
  leave(): Promise<readonly string[]>;
}

const EDITOR = '.graphiql-query-editor .view-line';

export interface VisitOptions extends BrowserContextOptions {
  /** The selector to wait for; by default the query editor. */
  readonly ready?: string;
}

/** Opens the playground as a reader does, from the root, and waits until a query can be run. */
export async function visit(
  browser: Browser,
  url: string,
  { ready = EDITOR, ...options }: VisitOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ acceptDownloads: true, ...options });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const faults: string[] = [];
  context.on('request', (request) => {
    if (!isOwn(request.url(), url)) faults.push(`requested ${request.url()}`);
  });
  context.on('console', (message) => {
    if (message.type() === 'error') faults.push(`logged ${message.text()}`);
  });
  context.on('weberror', (error) => faults.push(`threw ${error.error().message}`));

  const page = await context.newPage();
  await page.goto(url);
  await page.locator(ready).first().waitFor();
  return { page, leave: () => context.close().then(() => faults) };
}

function isOwn(address: string, url: string): boolean {
  const { origin, protocol } = new URL(address);
  return origin === new URL(url).origin || protocol === 'data:' || protocol === 'blob:';
}

/** Turns to a tab. */
export async function openTab(page: Page, name: string): Promise<void> {
  await tab(page, name).click();
  await page.locator('.graphiql-query-editor .view-line', { hasText: name }).first().waitFor();
}

/** Opens a sample from the panel. */
export async function openSample(page: Page, name: string): Promise<void> {
  await page.locator('.sample', { has: page.locator(`.sample-name:text-is("${name}")`) }).click();
  await page.locator('.graphiql-query-editor .view-line', { hasText: name }).first().waitFor();
}

/** Runs the open tab with its button and returns the response to the named operation. */
export async function run(page: Page, name: string): Promise<Exchange> {
  const answered = page.waitForResponse(
    (response) =>
      response.url().endsWith('/graphql') &&
      response.request().postDataJSON()?.operationName === name,
  );
  await page.getByRole('button', { name: /^Execute query/ }).click();
  const response = await answered;
  const request = response.request();
  const { variables } = request.postDataJSON() as Pick<Exchange, 'variables'>;
  const sentHeaders = await request.allHeaders();
  const exchange = {
    sentHeaders,
    variables,
    ...((await response.json()) as Pick<Exchange, 'data' | 'errors'>),
  };
  await page.locator(`.status-line:is([data-state=answered], [data-state=errors])`).waitFor();
  return exchange;
}

/** Opens a new tab with a query in place of its own. */
export async function newTab(page: Page, query: string): Promise<void> {
  await page.getByRole('button', { name: 'New tab' }).click();
  await page.locator('.graphiql-query-editor .monaco-editor').first().click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(query);
}

/** Copies the query as code for a client. */
export async function copyAs(page: Page, client: string): Promise<string> {
  await page.getByRole('button', { name: 'Copy as code' }).click();
  await page.getByRole('menuitem', { name: client, exact: true }).click();
  await page.getByText(`${client} code copied.`).waitFor({ state: 'attached' });
  return clipboard(page);
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

/** Reads the parts of the status line. */
export const statusParts = (page: Page) => page.locator('.status-part').allInnerTexts();

/** Reads the clipboard. */
export const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');

/** The names on the tabs, from left to right. */
export const tabNames = (page: Page) => page.getByRole('tab').allInnerTexts();

/** The tabs that a reload brings back; GraphiQL stores them a moment after each change. */
export const storedTabs = async (page: Page): Promise<unknown> =>
  JSON.parse(
    await page.evaluate<string>(`localStorage.getItem('caseway:graphiql:tabState') ?? '{}'`),
  ).tabs;

/** Reads the text of a pane without line numbers. Wrapped lines count as one. */
export async function textOf(
  page: Page,
  pane: 'query-editor' | 'editor-tool' | 'response',
): Promise<string> {
  const lines = await page.locator(`.graphiql-${pane} .view-line:visible`).allInnerTexts();
  return lines.join('\n').replaceAll('\u00A0', ' ');
}

function tab(page: Page, name: string) {
  return page.locator('.graphiql-tab-button', { hasText: new RegExp(`^${name}$`) });
}
