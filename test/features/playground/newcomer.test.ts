import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import type { TestGateway } from '../../support/gateway.ts';
import { openPlayground, whyNoBrowser } from './browser.ts';
import {
  newTab,
  openTab,
  run,
  tabNames,
  textOf,
  typeVariables,
  type Visit,
  visit,
} from './page-driver.ts';

/** The most that is loaded before the page shows its samples. */
const FIRST_LOAD = { bytes: 600_000, requests: 12 };

const EXPENSE =
  'mutation Wrong($values: CreateExpenseValues!) { createExpense(input: { values: $values }) { instance { id } } }';

const reason = whyNoBrowser();
let browser: Browser;
let gateway: TestGateway;
let close: () => Promise<void>;

describe.skipIf(reason !== undefined)(reason ?? 'a newcomer to the playground', () => {
  let page: Page;
  let leave: Visit['leave'];

  beforeAll(async () => {
    ({ gateway, browser, close } = await openPlayground());
    ({ page, leave } = await visit(browser, gateway.url));
  });
  afterAll(async () => {
    expect(await leave?.()).toEqual([]);
    await close?.();
  });
  beforeEach(async () => {
    await page.keyboard.press('Escape');
    const shown = page.getByRole('button', { name: 'Show Samples' });
    if ((await shown.count()) > 0) await shown.click();
    await page.getByRole('button', { name: 'Reset tabs' }).click();
    await openTab(page, 'PurchaseRequests');
  });

  it('finds the types by form, with the platform’s labels', async () => {
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    const panel = page.getByRole('region', { name: 'Documentation Explorer' });
    const groups = await panel.locator('summary').allInnerTexts();
    await panel.getByText('Purchase request', { exact: true }).click();
    const [first] = await panel
      .locator('details[open] li:visible >> text=Purchase')
      .allInnerTexts();
    await panel.getByRole('link', { name: 'PurchaseRequestStatus', exact: true }).click();
    await panel.getByText('"submitted"').waitFor();
    await panel.getByRole('link', { name: 'Go back to Docs' }).click();

    expect(groups).toEqual([
      'Operations',
      'Employee',
      'Expense',
      'Purchase request',
      'Supplier',
      'All forms, cases and rules',
    ]);
    expect(first).toBe('PurchaseRequest');
    expect(await page.getByRole('link', { name: 'Guide' }).count()).toBe(1);
    expect(await page.getByText('Docs', { exact: true }).count()).toBe(0);
  });

  it('finds the form of a word before its payloads and inputs', async () => {
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    const search = page.getByRole('combobox');
    const found = () => page.getByRole('option').allInnerTexts();

    await search.fill('supplier');
    await expect.poll(async () => (await found())[0]).toBe('Supplier');
    await search.fill('amount');
    await expect.poll(async () => (await found())[0]).toBe('Expense.amount');
    const amounts = await found();
    expect(amounts[1]).toBe('PurchaseRequest.amount');
    expect(amounts.some((name) => name.includes('Input.amount'))).toBe(true);
  });

  it.each(['a click', 'the keyboard'])('opens the record of an id by %s', async (way) => {
    await run(page, 'PurchaseRequests');
    const link = page.locator('.record-link').first();
    await link.waitFor();
    if (way === 'a click') {
      await link.click({ position: { x: 3, y: 5 } });
    } else {
      await page.locator('.graphiql-response textarea').focus();
      await page.keyboard.press('ControlOrMeta+Home');
      while (!(await textOf(page, 'response')).includes('"__typename"')) {
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
      }
    }

    await expect.poll(() => textOf(page, 'response')).toContain('"__typename": "PurchaseRequest"');

    expect(await tabNames(page)).toContain('Record');
    expect(await textOf(page, 'response')).toContain('"values"');
  });

  it('goes from a violation to the wrong value in the variables', async () => {
    await newTab(page, EXPENSE);
    const taxi = { description: 'Taxi', category: 'TRAVEL', employee: '1', spentOn: '2026-06-01' };
    await typeVariables(page, { values: { ...taxi, amount: -5 } });
    await run(page, 'Wrong');

    await page.getByRole('button', { name: /^amount must be/ }).click();

    await page.keyboard.press('Shift+End');
    expect(await selection(page)).toMatch(/^-5/);
  });

  it('goes from a violation to the wrong value in the query', async () => {
    const values =
      '{ description: "Taxi", category: TRAVEL, employee: "1", spentOn: "2026-06-01", amount: -5 }';
    await newTab(page, EXPENSE.replace('$values }', `${values} }`).replace(/\(\$.*!\)/, ''));
    await run(page, 'Wrong');

    await page.getByRole('button', { name: /^amount must be/ }).click();

    await page.keyboard.press('Shift+End');
    expect(await selection(page)).toMatch(/^-5/);
  });

  it('sees the samples before the editor has loaded', async () => {
    const context = await browser.newContext();
    const early = await context.newPage();
    const html = await (await fetch(`${gateway.url}/playground`)).text();
    const firstScripts = [...html.matchAll(/(?:src|modulepreload" href)="([^"]+\.js)"/g)];
    const isFirst = (address: string) =>
      firstScripts.some(([, name = '']) => address.endsWith(name));
    // The other scripts wait for ever.
    await context.route(
      (url) => url.pathname.endsWith('.js') && !isFirst(url.href),
      () => undefined,
    );
    const loaded: Promise<number>[] = [];
    early.on('requestfinished', (request) => {
      if (request.url().startsWith('data:')) return;
      loaded.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });

    await early.goto(`${gateway.url}/playground`);
    await early.locator('.sample').first().waitFor();

    const sizes = await Promise.all(loaded);
    expect(sizes.length).toBeLessThanOrEqual(FIRST_LOAD.requests);
    expect(sizes.reduce((sum, bytes) => sum + bytes)).toBeLessThanOrEqual(FIRST_LOAD.bytes);
    expect(sizes.length).toBeGreaterThan(firstScripts.length);
    await context.close();
  });
});

/** Reads the selected text. */
async function selection(page: Page): Promise<string> {
  await page.keyboard.press('ControlOrMeta+C');
  return page.evaluate<string>('navigator.clipboard.readText()');
}
