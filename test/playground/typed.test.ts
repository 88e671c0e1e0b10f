import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startGateway, type TestGateway } from '../support/gateway.ts';
import { buildIfOutdated, openBrowser, whyNoBrowser } from './browser.ts';
import { openTab, run, tabNames, type Visit, visit } from './page-driver.ts';

const reason = whyNoBrowser();
const FORMS = ['Employees', 'Expenses', 'PurchaseRequests', 'Suppliers'];

let gateway: TestGateway;
let browser: Browser;
let page: Page;
let leave: Visit['leave'];

describe.skipIf(reason !== undefined)(reason ?? 'the playground of a typed graph', () => {
  beforeAll(async () => {
    await buildIfOutdated();
    [gateway, browser] = await Promise.all([startGateway({ TYPED_FORMS: '*' }), openBrowser()]);
    ({ page, leave } = await visit(browser, gateway.url));
    await page.locator('.sample', { hasText: 'PurchaseRequests' }).waitFor();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  it('adds a tab for each form of the platform, once', async () => {
    const formTabs = () => tabNames(page).then((names) => names.slice(13));
    await expect.poll(formTabs).toEqual(FORMS);

    // Also for somebody who is gone before the explorer has kept its tabs.
    await page.reload();
    await expect.poll(formTabs).toEqual(FORMS);
  });

  it.each(FORMS)('asks for a page of a form, with what it refers to and what refers to it: %s', async (name) => {
    await openTab(page, name);

    const { data, errors } = await run(page, name);

    expect(errors).toBeUndefined();
    expect(Object.values(data)).toMatchObject([{ totalCount: expect.any(Number), nodes: { length: 5 } }]);
  });

  it('lists the forms by what people call them', async () => {
    const labels = await page.locator('.samples-group:text("Forms, typed") + ul .sample-operation').allInnerTexts();

    expect(labels).toEqual(['Employee', 'Expense', 'Purchase request', 'Supplier']);
  });

  it('shows in its documentation what people call a field, and what it may hold', async () => {
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.getByRole('combobox').fill('neededBy');
    await page
      .getByRole('option', { name: /PurchaseRequest\.neededBy/ })
      .first()
      .click();

    await page.locator('.graphiql-doc-explorer-content', { hasText: 'Needed by' }).waitFor();
    expect(await leave()).toEqual([]);
  });
});
