import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { prepareSite, readRows, USER_MODE } from './site.ts';

const { reason, openSite } = prepareSite();

const scrollToEnd = (page: Page) => page.evaluate('scrollTo(0, document.body.scrollHeight)');

describe.skipIf(reason !== undefined)(
  `the web client’s list${reason ? ` (skipped: ${reason})` : ''}`,
  () => {
    it('shows a page of requests with supplier and requester, with three upstream calls, and three to follow them', async () => {
      const { page, calls, faults } = await openSite({ env: { LIVE_INTERVAL_MS: '3600000' } });

      const rows = await readRows(page);
      await page.getByText('Live', { exact: true }).waitFor();

      expect(rows).toHaveLength(20);
      expect(rows[0]).toEqual([
        'Fuse assortment',
        'Nordlys Elektronik AB, SE',
        'Lucía Moreno',
        '€96.30',
        'Aug 26, 2026',
        'Submitted',
      ]);
      expect(await page.getByRole('status').innerText()).toBe('20 of 60 requests');
      expect(calls.filter((call) => call.startsWith('demo getFormIntances'))).toHaveLength(6);
      expect(faults).toEqual([]);
    });

    it('loads one page each time it is scrolled to its end, up to the last', async () => {
      const { page, operations, faults } = await openSite();
      await readRows(page);
      const sent = () => operations.filter((name) => name === 'Requests').length;
      const before = sent();

      await scrollToEnd(page);
      await page.getByText('40 of 60 requests').waitFor();
      const afterOne = sent();
      await scrollToEnd(page);
      await page.getByText('60 requests', { exact: true }).waitFor();
      const titles = (await readRows(page)).map(([title]) => title);

      expect([before, afterOne, sent()]).toEqual([1, 2, 3]);
      expect(new Set(titles).size).toBe(60);
      expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0);
      expect(faults).toEqual([]);
    });

    it('is filtered and sorted, also in the URL', async () => {
      const { page } = await openSite();
      await readRows(page);

      await page.getByLabel('Status').selectOption('Submitted');
      await page.getByText('8 requests').waitFor();
      await page.getByLabel('Amount from').fill('500');
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByText('4 requests').waitFor();
      for (const order of ['ascending', 'descending']) {
        await page.getByRole('columnheader', { name: 'Amount' }).getByRole('link').click();
        await page.locator(`th[aria-sort=${order}]`, { hasText: 'Amount' }).waitFor();
      }
      const dearest = await readRows(page);
      await page.reload();
      const again = await readRows(page);

      expect(dearest.map(([, , , amount]) => amount)).toEqual([
        '€2,600.00',
        '€2,150.00',
        '€1,099.00',
        '€534.00',
      ]);
      expect(again).toEqual(dearest);
      expect(page.url()).toContain('#/?status=SUBMITTED&minAmount=500&sort=-amount');
    });

    it('keeps its scroll position when the user comes back, without a request', async () => {
      const { page, operations } = await openSite();
      await readRows(page);
      await scrollToEnd(page);
      await page.getByText('40 of 60 requests').waitFor();

      await page.evaluate('scrollTo(0, 600)');
      const top = await page.evaluate<number>('scrollY');
      const sent = operations.filter((name) => name === 'Requests').length;
      await page.locator('tbody').getByRole('link').nth(14).click();
      await page.getByRole('button', { name: 'Save' }).waitFor();
      const topOfRequest = await page.evaluate('scrollY');
      await page.goBack();
      await page.getByRole('table').waitFor();

      expect(topOfRequest).toBe(0);
      await expect.poll(() => page.evaluate<number>('scrollY')).toBe(top);
      expect(await readRows(page)).toHaveLength(40);
      expect(operations.filter((name) => name === 'Requests')).toHaveLength(sent);
    });

    it('reports that nothing matches, and a search that cannot be expressed', async () => {
      const { page } = await openSite();
      await readRows(page);

      await page.getByLabel('Title').fill('nothing like this');
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByText('No request matches.').waitFor();
      await page.getByLabel('Title').fill('lamps, desks');
      await page.getByRole('button', { name: 'Filter' }).click();

      expect(await page.getByRole('alert').innerText()).toMatch(
        /^A filter must not contain a comma/,
      );
    });

    it('shows the data that the user may see, and reports the missing permission once on every screen', async () => {
      const { page, signIn } = await openSite({ env: USER_MODE });
      await signIn('clerk');
      const reported: string[] = [];
      const report = async () => {
        await page.getByRole('alert').first().waitFor();
        reported.push(...(await page.getByRole('alert').allInnerTexts()));
      };

      const [row] = await readRows(page);
      await scrollToEnd(page);
      await page.getByText('40 of 60 requests').waitFor();
      for (let visit = 1; visit <= 2; visit += 1) {
        await readRows(page);
        await report();
        await page.getByRole('link', { name: 'Fuse assortment' }).click();
        await page.getByRole('heading', { name: 'Edit' }).waitFor();
        await report();
        await page.getByRole('link', { name: 'All purchase requests' }).click();
      }

      expect(row?.slice(0, 3)).toEqual(['Fuse assortment', 'Nordlys Elektronik AB, SE', '–']);
      expect(reported).toEqual(Array(4).fill('You do not have permission for some of this.'));
    });

    it('links from a supplier to its requests', async () => {
      const { page, faults } = await openSite();

      await page.getByRole('link', { name: 'Suppliers' }).click();
      await page.getByRole('link', { name: 'Alpenblick Seminare' }).click();
      const rows = await readRows(page, 'table');

      expect(rows.map(([title]) => title)).toContain('Presentation training for sales');
      expect(faults).toEqual([]);
    });

    it('is exported whole as CSV, by the filter and order of the screen', async () => {
      const { page, operations, faults } = await openSite();
      await readRows(page);

      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export CSV' }).click(),
      ]);
      const lines = readFileSync(await file.path(), 'utf8').split('\r\n');

      expect(file.suggestedFilename()).toBe('purchase-requests.csv');
      expect(lines[0]).toBe('\uFEFFNumber,Title,Supplier,Requester,Amount,Needed by,Urgent,Status');
      expect(lines).toHaveLength(62);
      expect(new Set(lines).size).toBe(62);
      expect(operations.filter((name) => name === 'Export')).toHaveLength(2);
      expect(faults).toEqual([]);
    });
  },
);
