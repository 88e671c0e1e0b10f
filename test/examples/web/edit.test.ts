import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { prepareSite, readRows, type SiteOptions, USER_MODE } from './site.ts';

const { reason, openSite } = prepareSite();

/** Opens the purchase request of 2,600 EUR from the list. */
async function open(options?: SiteOptions, signInAs?: string) {
  const site = await openSite(options);
  if (signInAs !== undefined) await site.signIn(signInAs);
  await readRows(site.page);
  await site.page.goto(`${site.url}#/?title=presentation+training`);
  await site.page.getByRole('link', { name: 'Presentation training for sales' }).click();
  await site.page.getByRole('heading', { name: 'Edit' }).waitFor();
  return site;
}

const facts = (page: Page) => page.locator('.facts').innerText();
const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click();

/** Holds the requests of an operation before they reach the gateway, until they are released. */
async function hold(page: Page, operationName: string) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/graphql', async (route) => {
    if (route.request().postDataJSON().operationName === operationName) await released;
    await route.continue();
  });
  return release;
}

describe.skipIf(reason !== undefined)(
  `the web client’s request${reason ? ` (skipped: ${reason})` : ''}`,
  () => {
    it('shows a change before the response, and in the list without a request', async () => {
      const { page, calls, operations, faults } = await open();
      const release = await hold(page, 'UpdateRequest');

      await page.getByLabel('Status').selectOption('Approved');
      await page.getByLabel('Amount').fill('2650.5');
      await page.getByLabel('Supplier').selectOption('Papelaria Lisbonense');
      await save(page);
      await page.getByText('Saving …').waitFor();
      const whileSaving = await facts(page);
      release();
      await page.getByText('Saved.').waitFor();
      const lists = operations.filter((name) => name === 'Requests').length;
      await page.goBack();
      const [row] = await readRows(page);

      expect(whileSaving).toMatch(/Approved[\s\S]*€2,650\.50[\s\S]*Papelaria Lisbonense/);
      expect(row?.slice(1)).toEqual([
        'Papelaria Lisbonense, PT',
        'Oliver Hughes',
        '€2,650.50',
        'May 26, 2026',
        'Approved',
      ]);
      expect(operations.filter((name) => name === 'Requests')).toHaveLength(lists);
      expect(calls.filter((call) => call.includes('updateValuesOfFormIntance'))).toHaveLength(1);
      expect(faults).toEqual([]);
    });

    it('shows violations beside each field and sends no update, until the user discards the edits', async () => {
      const { page, calls } = await open();

      // Without this the browser refuses these values itself.
      await page.evaluate('document.querySelector("form:has(textarea)").noValidate = true');
      await page.getByLabel('Title').fill('');
      await page.getByLabel('Amount').fill('-1');
      await save(page);
      const alert = await page.getByRole('alert').innerText();
      const title = page.getByLabel('Title');
      const described = await title.getAttribute('aria-describedby');
      const messages = await page.locator('.message').allInnerTexts();
      const said = await page.locator(`[id="${described}"]`).innerText();
      const isInvalid = await title.getAttribute('aria-invalid');
      const entered = await page.getByLabel('Amount').inputValue();
      const factsBefore = await facts(page);
      await page.getByRole('button', { name: 'Discard changes' }).click();

      expect(alert).toBe('Some values do not fit: see the fields.');
      expect(messages).toEqual(['must have a value', 'must be at least 0']);
      expect([said, isInvalid, entered]).toEqual(['must have a value', 'true', '-1']);
      expect(factsBefore).toMatch(/€2,600\.00/);
      expect(calls.filter((call) => call.includes('updateValuesOfFormIntance'))).toEqual([]);
      expect(await page.getByLabel('Amount').inputValue()).toBe('2600');
      expect(await page.locator('.message, [role=alert]').count()).toBe(0);
    });

    it('is not overwritten where another user has changed the same field, until the user saves again', async () => {
      // A live page would show it before the user saves.
      const { page, execute } = await open({ env: { LIVE_INTERVAL_MS: '0' } });

      await page.getByLabel('Amount').fill('2700');
      await execute(
        'mutation { updatePurchaseRequest(input: { instanceId: 41, values: { amount: 3000, notes: "Theirs." } }) { instance { id } } }',
      );
      await save(page);
      const alert = await page.getByRole('alert').innerText();
      const messages = await page.locator('.message').allInnerTexts();
      const theirs = await facts(page);
      await save(page);
      await page.getByText('Saved.').waitFor();

      expect(alert).toMatch(/^Somebody else has changed this request meanwhile/);
      expect(messages).toEqual(['Somebody else has changed it to “3000”.']);
      expect(theirs).toMatch(/€3,000\.00/);
      expect(await facts(page)).toMatch(/€2,700\.00[\s\S]*Theirs\./);
    });

    it('has no edit form for a user with read permission only', async () => {
      const { page } = await open({ env: USER_MODE }, 'reader');

      await page.getByText('You may read this request, but not change it.').waitFor();

      expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    });

    it('executes the rule that determines its approver', async () => {
      const { page } = await open();

      await page.getByRole('button', { name: 'Who must approve this?' }).click();

      await page.getByText('A manager approves €2,600.00.').waitFor();
    });

    it('goes through its approval, also when the page is reloaded in between', async () => {
      const { page, calls } = await open();

      await page.getByRole('button', { name: 'Start the approval' }).click();
      await page.getByRole('heading', { name: 'Submit request' }).waitFor();
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('heading', { name: 'Review by manager' }).waitFor();
      await page.reload();
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await page.getByLabel('Order number').fill('PO-1');
      await page.getByRole('button', { name: 'Order' }).click();
      await page.getByText(/Case \d+ is finished\./).waitFor();

      expect(calls.filter((call) => /startCase|executeCurrentActivity/.test(call))).toEqual([
        'demo startCase 201',
        ...Array(3).fill('demo executeCurrentActivity 202'),
      ]);
    });

    it('reports a missing instance or page', async () => {
      const { page, url } = await openSite();

      await page.goto(`${url}#/requests/999999`);
      await page.getByText('There is no such purchase request, or not any more.').waitFor();
      await page.goto(`${url}#/elsewhere`);

      await page.getByText('This page does not exist.').waitFor();
    });
  },
);
