import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import type { Env } from '../../support/gateway.ts';
import { prepareSite, readRows, USER_MODE } from './site.ts';

const { reason, skipped, openSite } = prepareSite();

const create = (page: Page) => page.getByRole('button', { name: 'Create' }).click();

/** Opens the form for a new purchase request from the list, and fills it. */
async function openNew() {
  const site = await openSite();
  const { page } = site;
  await readRows(page);
  await page.getByRole('link', { name: 'New request' }).click();
  await page.getByLabel('Title').fill('Whiteboard markers');
  await page.getByLabel('Amount').fill('24.90');
  await page.getByLabel('Needed by').fill('2026-12-01');
  await page.getByLabel('Requester').selectOption('Oliver Hughes');
  return site;
}

/** Opens the purchase request of 2,600 EUR from the list. */
async function open(env?: Env, signInAs?: string) {
  const site = await openSite({ env });
  const { page, url } = site;
  if (signInAs !== undefined) await site.signIn(signInAs);
  await readRows(page);
  await page.goto(`${url}#/?title=presentation+training`);
  await page.getByRole('link', { name: 'Presentation training for sales' }).click();
  await page.getByRole('heading', { name: 'Edit' }).waitFor();
  return site;
}

const facts = (page: Page) => page.locator('.facts').innerText();
const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click();

describe.skipIf(reason !== undefined)(`the web client’s new request${skipped}`, () => {
  it('is created, shown, and added to the list', async () => {
    const { page, faults } = await openNew();

    await create(page);
    await page.getByRole('heading', { name: 'Whiteboard markers' }).waitFor();
    await page.getByRole('link', { name: 'All purchase requests' }).click();
    const [row] = await readRows(page);

    expect(row?.join()).toBe('Whiteboard markers,–,Oliver Hughes,€24.90,Dec 1, 2026,Draft');
    expect(faults).toEqual([]);
  });

  it('is created once when the response is lost and the user submits again', async () => {
    const { page, calls } = await openNew();
    let isLost = false;
    await page.route('**/graphql', async (route) => {
      const { operationName } = route.request().postDataJSON();
      if (operationName !== 'CreateRequest' || isLost) return route.continue();
      isLost = true;
      await route.fetch();
      return route.abort();
    });

    await create(page);
    const alert = await page.getByRole('alert').innerText();
    await create(page);
    await page.getByRole('heading', { name: 'Whiteboard markers' }).waitFor();

    expect(alert).toMatch(/^The gateway cannot be reached\./);
    expect(calls.filter((call) => call.includes('createFormIntance'))).toEqual([
      'demo createFormIntance 201',
    ]);
  });

  it('explains at a field why it has no choices, also if another screen failed to read them', async () => {
    const { page, signIn } = await openSite({ env: USER_MODE });
    await signIn('clerk');
    await readRows(page);
    await page.getByRole('link', { name: 'Fuse assortment' }).click();
    await page.getByRole('heading', { name: 'Edit' }).waitFor();
    await page.getByRole('link', { name: 'All purchase requests' }).click();

    await page.getByRole('link', { name: 'New request' }).click();
    await page.getByText('The people cannot be read.').waitFor();
    const described = await page.getByLabel('Requester').getAttribute('aria-describedby');

    expect(await page.locator(`[id="${described}"]`).innerText()).toBe(
      'The people cannot be read. You do not have permission for some of this.',
    );
    expect(await page.locator('.message').count()).toBe(1);
    expect(await page.getByLabel('Supplier').locator('option').count()).toBeGreaterThan(1);
  });
});

describe.skipIf(reason !== undefined)(`the web client’s request${skipped}`, () => {
  it('shows a change before the response, and in the list without a request', async () => {
    const { page, calls, countOf, faults } = await open();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (route.request().postDataJSON().operationName === 'UpdateRequest') await released;
      await route.continue();
    });

    await page.getByLabel('Status').selectOption('Approved');
    await page.getByLabel('Amount').fill('2650.5');
    await page.getByLabel('Supplier').selectOption('Papelaria Lisbonense');
    await save(page);
    await page.getByText('Saving …').waitFor();
    const whileSaving = await facts(page);
    release();
    await page.getByText('Saved.').waitFor();
    const lists = countOf('Requests');
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
    expect(countOf('Requests')).toBe(lists);
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

    expect(alert).toBe('Some values do not fit: see the fields.');
    expect(await page.locator('.message').allInnerTexts()).toEqual([
      'must have a value',
      'must be at least 0',
    ]);
    expect(await page.locator(`[id="${described}"]`).innerText()).toBe('must have a value');
    expect(await title.getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('Amount').inputValue()).toBe('-1');
    expect(await facts(page)).toMatch(/€2,600\.00/);

    await page.getByRole('button', { name: 'Discard changes' }).click();

    expect(calls.filter((call) => call.includes('updateValuesOfFormIntance'))).toEqual([]);
    expect(await page.getByLabel('Amount').inputValue()).toBe('2600');
    expect(await page.locator('.message, [role=alert]').count()).toBe(0);
  });

  it('is not overwritten where another user has changed the same field, until the user saves again', async () => {
    // A live page would show it before the user saves.
    const { page, execute } = await open({ LIVE_INTERVAL_MS: '0' });

    await page.getByLabel('Amount').fill('2700');
    await execute(`mutation {
      updatePurchaseRequest(input: { instanceId: 41, values: { amount: 3000, notes: "Theirs." } }) {
        instance { id }
      }
    }`);
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
    const { page } = await open(USER_MODE, 'reader');

    await page.getByText('You may read this request, but not change it.').waitFor();

    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  });

  it('executes the rule of its approver, and goes through its approval, also when the page is reloaded', async () => {
    const { page, calls } = await open();

    await page.getByRole('button', { name: 'Who must approve this?' }).click();
    await page.getByText('A manager approves €2,600.00.').waitFor();
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
});
