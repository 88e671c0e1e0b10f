import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { prepareSite, readRows } from './site.ts';

const { reason, openSite } = prepareSite();

/** Two calls. */
const SELECTED = 12;

/** The ids of the first rows. */
async function readIds(page: Page, count: number): Promise<readonly string[]> {
  await readRows(page);
  const links = (await page.locator('tbody th a').all()).slice(0, count);
  const addresses = await Promise.all(links.map((link) => link.getAttribute('href')));
  return addresses.map((address) => address?.split('/').at(-1) ?? '');
}

/** Selects the first rows, and gives their ids. */
async function selectRows(page: Page, count: number): Promise<readonly string[]> {
  const ids = await readIds(page, count);
  await page.getByRole('button', { name: 'Select', exact: true }).click();
  for (const box of (await page.getByRole('row').getByRole('checkbox').all()).slice(0, count))
    await box.check();
  return ids;
}

/** The state of each row, and what became of it. */
const readStates = async (page: Page) =>
  (await readRows(page)).map((cells) => cells.at(-1)?.replace(/\s+/g, ' '));

describe.skipIf(reason !== undefined)(
  `the web client’s bulk change${reason ? ` (skipped: ${reason})` : ''}`,
  () => {
    it('changes the selected rows in one go, and shows for each what became of it', async () => {
      const { page, calls, operations, execute, faults } = await openSite();
      const [, gone] = await selectRows(page, SELECTED);
      await execute(
        `mutation { deletePurchaseRequest(input: { instanceId: "${gone}" }) { deletedId } }`,
      );

      await page.getByLabel('Change to').selectOption('Rejected');
      await page.getByRole('button', { name: `Change ${SELECTED} selected` }).click();
      await page.getByText(`${SELECTED - 1} of ${SELECTED} changed`).waitFor();

      const states = await readStates(page);
      expect(states[0]).toBe('Rejected Changed');
      expect(states[1]).toContain('Not changed: The platform has no such resource.');
      expect(states.slice(2, SELECTED)).toEqual(Array(SELECTED - 2).fill('Rejected Changed'));
      expect(states[SELECTED]).not.toContain('hanged');
      expect(await page.getByRole('progressbar').getAttribute('value')).toBe(String(SELECTED));
      expect(operations.filter((name) => name === 'BulkChange')).toHaveLength(2);
      // The gateway compares the rows first, so the missing row is not written.
      expect(
        calls.filter((call) => call.startsWith('demo updateValuesOfFormIntance')),
      ).toHaveLength(SELECTED - 1);
      expect(faults).toEqual([]);
    });

    it('selects all rows and deselects them', async () => {
      const { page, faults } = await openSite();
      await selectRows(page, 1);
      const all = page.getByLabel('Select all 20 shown');

      await all.check();
      await page.getByRole('button', { name: 'Change 20 selected' }).waitFor();
      await all.uncheck();
      await page.getByRole('button', { name: 'Change 0 selected' }).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Select', exact: true }).waitFor();

      expect(await page.getByRole('row').getByRole('checkbox').count()).toBe(0);
      expect(faults).toEqual([]);
    });

    it('sends rows again that were sent more than ten minutes ago, and changes only the unchanged ones', async () => {
      const { page, calls, operations, execute } = await openSite();
      const set = (ids: readonly string[], status: string) =>
        execute(
          `mutation { updatePurchaseRequests(input: { items: [${ids.map(
            (id) => `{ instanceId: "${id}", values: { status: ${status} } }`,
          )}] }) { done } }`,
        );
      await set(await readIds(page, 3), 'SUBMITTED');
      await page.reload();
      const [, second = '', third = ''] = await selectRows(page, 3);
      await page.getByLabel('Change to').selectOption('Rejected');
      // The change is made, and its answer is lost.
      await page.route('**/graphql', (route) => route.fetch().then(() => route.abort()), {
        times: 1,
      });
      await page.getByRole('button', { name: 'Change 3 selected' }).click();
      const again = page.getByRole('button', { name: 'Send the rest again' });
      await again.waitFor();
      await set([second], 'SUBMITTED');
      await set([third], 'DRAFT');
      const [callsBefore, operationsBefore] = [calls.length, operations.length];
      await page.evaluate(() => {
        const now = Date.now;
        Date.now = () => now() + 600_000;
      });

      await again.click();
      await page.getByText('2 of 3 changed').waitFor();

      expect(operations.slice(operationsBefore)).toEqual(['BulkChange']);
      expect(
        calls.slice(callsBefore).filter((call) => call.includes('updateValuesOfFormIntance')),
      ).toHaveLength(1);
      expect((await readStates(page)).slice(0, 3)).toEqual([
        'Rejected Changed',
        'Rejected Changed',
        'Draft Not changed: Somebody else has changed it meanwhile.',
      ]);
      expect(await again.count()).toBe(0);
    });
  },
);
