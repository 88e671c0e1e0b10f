import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import type { TestGateway } from '../../support/gateway.ts';
import { openPlayground, whyNoBrowser } from './browser.ts';
import { clipboard, statusParts, textOf, visit } from './page-driver.ts';

const MAX_TABS = 250;

const reason = whyNoBrowser();
let browser: Browser;
let gateway: TestGateway;
let close: () => Promise<void>;
let page: Page;

describe.skipIf(reason !== undefined)(reason ?? 'the keyboard alone', () => {
  beforeAll(async () => {
    ({ gateway, browser, close } = await openPlayground({ LIVE_INTERVAL_MS: '1000' }));
  });
  afterAll(() => close?.());
  beforeEach(async () => {
    const visited = await visit(browser, gateway.url, { viewport: { width: 1440, height: 900 } });
    onTestFinished(async () => void (await visited.leave()));
    page = visited.page;
  });

  it('builds a filtered and ordered list, and reads its cost before it runs', async () => {
    await press(button('Show Query Builder'));
    const builder = page.getByRole('region', { name: 'Query Builder' });
    const conditions = builder.locator('.builder-arguments');
    const choose = (name: string) => conditions.getByLabel(name, { exact: true }).last();
    await type(builder.getByRole('combobox', { name: 'direction' }), 'DESC');
    await type(builder.getByRole('combobox', { name: 'field' }), 'CREATED');
    for (const name of ['where:', 'status:', 'eq:']) await press(choose(name), 'Space');
    await type(builder.getByRole('combobox', { name: 'eq' }), 'SUB');
    for (const name of ['amount:', 'gt:']) await press(choose(name), 'Space');
    await type(builder.getByRole('textbox', { name: 'gt' }), '1000');
    await press(builder.getByLabel('urgent', { exact: true }).last(), 'Space');
    await press(button('Plan'));
    await page.getByRole('dialog').getByText('At most 3 upstream calls').waitFor();
    await page.keyboard.press('Escape');

    await press(page.getByRole('button', { name: /^Execute query/ }));

    await expect.poll(() => textOf(page, 'response')).toContain('"status": "SUBMITTED"');
    expect(await statusParts(page)).toContain('3 upstream calls');
    const query = (await textOf(page, 'query-editor')).replaceAll(/\s+/g, ' ');
    expect(query).toMatch(/direction: DESC, field: CREATED_AT/);
    expect(query).toMatch(/amount: \{ ?gt: "1000" ?\}/);
    expect(query).toContain('urgent');
  });

  it('corrects a wrong amount by its violation', async () => {
    await press(page.getByRole('button', { name: /^CreateExpense/ }));
    await page.getByRole('tab', { name: 'CreateExpense' }).waitFor();
    await press(page.locator('.graphiql-query-editor > div').first(), 'Enter');
    await page.keyboard.press('ControlOrMeta+F');
    await page.keyboard.type('"12.50"');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.keyboard.type('-1');
    await page.keyboard.press('ControlOrMeta+Enter');
    await press(page.getByRole('button', { name: /^amount must be/ }));
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Delete');

    await page.keyboard.press('ControlOrMeta+Enter');

    await expect.poll(() => textOf(page, 'response')).toContain('"createExpense"');
  });

  it('watches a list, and copies the query as code', async () => {
    await press(page.getByRole('button', { name: /^WatchSuppliers/ }));
    await page.getByRole('tab', { name: 'WatchSuppliers' }).waitFor();
    await press(page.getByRole('button', { name: /^Execute query/ }));
    await expect.poll(() => statusParts(page)).toContain('1 result');
    await gateway.execute(
      'mutation { createSupplier(input: { values: { name: "Aa", country: DE, active: true } }) { instance { id } } }',
    );
    await expect.poll(() => statusParts(page)).toContain('2 results');

    await press(button('Copy as code'));
    await page.getByRole('menu').waitFor();
    await page.keyboard.type('fetch');
    await page.keyboard.press('Enter');

    await page.getByText('fetch code copied.').waitFor({ state: 'attached' });
    expect(await clipboard(page)).toContain('subscription WatchSuppliers');
  });
});

const button = (name: string): Locator => page.getByRole('button', { name, exact: true });

/** Goes to an element by the Tab key and presses a key there. */
async function press(target: Locator, key = 'Enter'): Promise<void> {
  await target.waitFor();
  for (let count = 0; count < MAX_TABS; count++) {
    if (await target.evaluate((element) => element.matches(':focus'))) {
      return page.keyboard.press(key);
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`Not reached by Tab: ${target}`);
}

/** Goes to a field and replaces its value. */
async function type(target: Locator, text: string): Promise<void> {
  await press(target, 'ControlOrMeta+A');
  await page.keyboard.type(text);
}
