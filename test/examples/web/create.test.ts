import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { prepareSite, readRows, USER_MODE } from './site.ts';

const { reason, openSite } = prepareSite();

const create = (page: Page) => page.getByRole('button', { name: 'Create' }).click();

/** Opens the form for a new purchase request from the list, and fills it. */
async function open() {
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

describe.skipIf(reason !== undefined)(
  `the web client’s new request${reason ? ` (skipped: ${reason})` : ''}`,
  () => {
    it('is created, shown, and added to the list', async () => {
      const { page, faults } = await open();

      await create(page);
      await page.getByRole('heading', { name: 'Whiteboard markers' }).waitFor();
      await page.getByRole('link', { name: 'All purchase requests' }).click();
      const [row] = await readRows(page);

      expect(row).toEqual([
        'Whiteboard markers',
        '–',
        'Oliver Hughes',
        '€24.90',
        'Dec 1, 2026',
        'Draft',
      ]);
      expect(faults).toEqual([]);
    });

    it('is created once when the response is lost and the user submits again', async () => {
      const { page, calls } = await open();
      let lost = 0;
      await page.route('**/graphql', async (route) => {
        if (route.request().postDataJSON().operationName !== 'CreateRequest' || lost > 0)
          return route.continue();
        lost += 1;
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
  },
);
