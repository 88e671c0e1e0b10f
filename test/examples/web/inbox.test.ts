import { describe, expect, it } from 'vitest';

import { readRows } from './site.ts';
import { prepareStage } from './stage.ts';

const { reason, openSite } = prepareStage();

const open = async (name = 'demo') => {
  const site = await openSite();
  await site.signIn(name);
  return site;
};

describe.skipIf(reason !== undefined)(`the web client’s inbox${reason ? ` (skipped: ${reason})` : ''}`, () => {
  it('shows a page of requests with supplier and requester, in three calls', async () => {
    const { page, calls, faults } = await open();

    const rows = await readRows(page);

    expect(rows).toHaveLength(10);
    expect(rows[0]).toEqual([
      'Fuse assortment',
      'Nordlys Elektronik AB, SE',
      'Lucía Moreno',
      '€96.30',
      'Aug 26, 2026',
      'Submitted',
    ]);
    expect(await page.getByRole('status').innerText()).toBe('60 requests');
    expect(calls.filter((call) => call.startsWith('demo getFormIntances'))).toHaveLength(3);
    expect(faults).toEqual([]);
  });

  it('is filtered, ordered and turned, and says so in the address', async () => {
    const { page } = await open();
    await readRows(page);

    await page.getByLabel('Status').selectOption('Submitted');
    await page.getByText('8 requests').waitFor();
    await page.getByLabel('Amount from').fill('500');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('4 requests').waitFor();
    for (const order of ['ascending', 'descending']) {
      await page.getByRole('columnheader', { name: 'Amount' }).getByRole('link').click();
      await page.locator(`th[aria-sort=${order}]`, { hasText: 'Amount' }).waitFor();
    }
    const dearest = await readRows(page);
    await page.reload();
    const again = await readRows(page);

    expect(dearest.map(([, , , amount]) => amount)).toEqual(['€2,600.00', '€2,150.00', '€1,099.00', '€534.00']);
    expect(again).toEqual(dearest);
    expect(page.url()).toContain('#/?status=SUBMITTED&atLeast=500&sort=-amount');
  });

  it('goes on to the next page, and back by the browser’s button', async () => {
    const { page } = await open();
    const first = await readRows(page);

    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByText('Page 2 of 6').waitFor();
    const second = await readRows(page);
    await page.goBack();
    await page.getByText('Page 1 of 6').waitFor();

    expect(second).not.toEqual(first);
    expect(await readRows(page)).toEqual(first);
  });

  it('says that nothing fits, and what a search cannot say', async () => {
    const { page } = await open();
    await readRows(page);

    await page.getByLabel('Title').fill('nothing like this');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('No request fits.').waitFor();
    await page.getByLabel('Title').fill('lamps, desks');
    await page.getByRole('button', { name: 'Find' }).click();

    expect(await page.getByRole('alert').innerText()).toMatch(/,/);
  });

  it('shows what somebody may see, and says that they may not see the rest', async () => {
    const { page } = await open('clerk');

    const rows = await readRows(page);

    expect(rows[0]?.slice(0, 3)).toEqual(['Fuse assortment', 'Nordlys Elektronik AB, SE', '–']);
    expect(await page.getByRole('alert').innerText()).toBe('You are not allowed to see or do this.');
  });
});
