import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { prepareSite, readRows, type SiteOptions } from './site.ts';

const { reason, openSite } = prepareSite();

/** Opens the list and waits until it is live. */
async function openList(options?: SiteOptions) {
  const site = await openSite(options);
  await site.page.getByText('Live', { exact: true }).waitFor();
  return site;
}

const titles = async (page: Page) => (await readRows(page)).map(([title]) => title);

const setTitle = (instanceId: string | undefined, title: string) =>
  `mutation { updatePurchaseRequest(input: { instanceId: "${instanceId}", values: { title: "${title}" } }) { instance { id } } }`;

/** The id in the link of a row. */
const idOf = async (page: Page, row: number) =>
  (await page.locator('tbody th a').nth(row).getAttribute('href'))?.split('/').at(-1);

/** As a browser does when another tab or application covers the page. */
const setVisibility = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
    document.dispatchEvent(new Event('visibilitychange'));
  `);

describe.skipIf(reason !== undefined)(
  `the live web client${reason ? ` (skipped: ${reason})` : ''}`,
  () => {
    it('shows in the list what somebody else changes and creates, without a query', async () => {
      const { page, operations, execute, faults } = await openList();

      await execute(setTitle(await idOf(page, 1), 'Changed elsewhere'));
      await page.getByRole('link', { name: 'Changed elsewhere' }).waitFor();
      await execute(`mutation { createPurchaseRequest(input: { values: {
      title: "Created elsewhere", amount: 1, quantity: 1, status: DRAFT, requester: "1", neededBy: "2027-01-31"
    } }) { instance { id } } }`);
      await page.getByRole('link', { name: 'Created elsewhere' }).waitFor();

      expect(await titles(page)).toContain('Changed elsewhere');
      expect(await page.getByRole('status').innerText()).toBe('20 of 61 requests');
      expect(operations.filter((name) => name === 'Requests')).toHaveLength(1);
      expect(faults).toEqual([]);
    });

    it('follows all pages on the screen by one stream', async () => {
      const { page, execute, streams, faults } = await openList();
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      await page.getByText('40 of 60 requests').waitFor();
      await page.getByText('Live', { exact: true }).waitFor();

      await execute(setTitle(await idOf(page, 35), 'Changed elsewhere'));
      await page.getByRole('link', { name: 'Changed elsewhere' }).waitFor();

      expect(await readRows(page)).toHaveLength(40);
      await expect.poll(streams).toBe(1);
      expect(faults).toEqual([]);
    });

    it('shows changes by others in an open request until it is deleted, and keeps the user’s input', async () => {
      const { page, url, execute, faults } = await openList();
      await page.goto(`${url}#/requests/41`);
      await page.getByLabel('Amount').fill('2700');
      await page.getByText('Live', { exact: true }).waitFor();

      await execute(
        'mutation { updatePurchaseRequest(input: { instanceId: 41, values: { amount: 3000, notes: "Theirs." } }) { instance { id } } }',
      );
      await page.getByText('Somebody else has changed it to “3000”.').waitFor();

      expect(await page.locator('.facts').innerText()).toMatch(/€3,000\.00[\s\S]*Theirs\./);
      expect(await page.getByLabel('Amount').inputValue()).toBe('2700');
      expect(await page.getByLabel('Notes').inputValue()).toBe('Theirs.');
      expect(faults).toEqual([]);
      await execute('mutation { deletePurchaseRequest(input: { instanceId: 41 }) { deletedId } }');

      await page.getByText('There is no such purchase request, or not any more.').waitFor();
    });

    it('closes its stream while the page is hidden, and then shows the changes', async () => {
      const { page, execute, streams, faults } = await openList();
      const before = await streams();

      await setVisibility(page, 'hidden');
      await expect.poll(streams).toBe(0);
      const signs = await page.getByText('Live', { exact: true }).count();
      await execute(setTitle(await idOf(page, 1), 'Changed meanwhile'));
      await setVisibility(page, 'visible');
      await page.getByRole('link', { name: 'Changed meanwhile' }).waitFor();

      expect([before, signs]).toEqual([1, 0]);
      expect(faults).toEqual([]);
    });

    it('stands still while rows are selected, and shows a note', async () => {
      const { page, streams, faults } = await openList();

      await page.getByRole('button', { name: 'Select', exact: true }).click();
      await page.getByText('Paused', { exact: true }).waitFor();
      await expect.poll(streams).toBe(0);
      await page.getByRole('button', { name: 'Cancel' }).click();

      await page.getByText('Live', { exact: true }).waitFor();
      expect(faults).toEqual([]);
    });

    it('is not called live when the gateway is lost', async () => {
      const { page, stopGateway } = await openList();

      await stopGateway();

      await page.getByText('Reconnecting …').waitFor();
      expect(await page.getByText('Live', { exact: true }).count()).toBe(0);
      expect(await readRows(page)).toHaveLength(20);
    });
  },
);
