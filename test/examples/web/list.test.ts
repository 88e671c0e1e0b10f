import { readFileSync } from 'node:fs';
import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { prepareSite, readRows, USER_MODE } from './site.ts';

const { reason, skipped, openSite } = prepareSite();

const scrollToEnd = (page: Page) => page.evaluate('scrollTo(0, document.body.scrollHeight)');

/** Two calls. */
const SELECTED = 12;

/** The ids in the links of the rows. */
async function readIds(page: Page): Promise<readonly string[]> {
  await readRows(page);
  const links = await page.locator('tbody th a').all();
  const addresses = await Promise.all(links.map((link) => link.getAttribute('href')));
  return addresses.map((address) => address?.split('/').at(-1) ?? '');
}

const startSelecting = (page: Page) =>
  page.getByRole('button', { name: 'Select', exact: true }).click();

/** Selects the first rows, and chooses a state for them. */
async function selectRows(page: Page, count: number) {
  await startSelecting(page);
  for (const box of (await page.getByRole('row').getByRole('checkbox').all()).slice(0, count))
    await box.check();
  await page.getByLabel('Change to').selectOption('Rejected');
}

/** The state of each row, and the outcome of its change. */
const readStates = async (page: Page) =>
  (await readRows(page)).map((cells) => cells.at(-1)?.replace(/\s+/g, ' '));

const untilLive = (page: Page) => page.getByText('Live', { exact: true }).waitFor();

const update = (instanceId: string | undefined, values: string) =>
  `mutation { updatePurchaseRequest(input: { instanceId: "${instanceId}", values: { ${values} } }) { instance { id } } }`;
const remove = (instanceId: string | undefined) =>
  `mutation { deletePurchaseRequest(input: { instanceId: "${instanceId}" }) { deletedId } }`;

describe.skipIf(reason !== undefined)(`the web client’s list${skipped}`, () => {
  it('shows a page of requests with supplier and requester, with three upstream calls, and three to follow them', async () => {
    const { page, calls, faults } = await openSite({ env: { LIVE_INTERVAL_MS: '3600000' } });

    const rows = await readRows(page);
    await untilLive(page);

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

  it('loads one page each time it is scrolled to its end, and keeps its scroll position when the user comes back', async () => {
    const { page, countOf, faults } = await openSite();
    await readRows(page);
    const counts = [countOf('Requests')];

    await scrollToEnd(page);
    await page.getByText('40 of 60 requests').waitFor();
    counts.push(countOf('Requests'));
    await page.evaluate('scrollTo(0, 600)');
    const top = await page.evaluate<number>('scrollY');
    await page.locator('tbody').getByRole('link').nth(14).click();
    await page.getByRole('button', { name: 'Save' }).waitFor();
    const topOfRequest = await page.evaluate('scrollY');
    await page.goBack();
    await page.getByRole('table').waitFor();
    await expect.poll(() => page.evaluate<number>('scrollY')).toBe(top);
    const rowsAgain = (await readRows(page)).length;
    await scrollToEnd(page);
    await page.getByText('60 requests', { exact: true }).waitFor();
    counts.push(countOf('Requests'));
    const titles = (await readRows(page)).map(([title]) => title);

    expect(counts).toEqual([1, 2, 3]);
    expect([topOfRequest, rowsAgain, new Set(titles).size]).toEqual([0, 40, 60]);
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

  it('reports that nothing matches, and a search that cannot be expressed', async () => {
    const { page } = await openSite();
    await readRows(page);

    await page.getByLabel('Title').fill('nothing like this');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('No request matches.').waitFor();
    await page.getByLabel('Title').fill('lamps, desks');
    await page.getByRole('button', { name: 'Filter' }).click();

    expect(await page.getByRole('alert').innerText()).toMatch(/^A filter must not contain a comma/);
  });

  it('shows the data that the user may see, and reports the missing permission once on every screen', async () => {
    const { page, signIn } = await openSite({ env: USER_MODE });
    await signIn('clerk');
    const expectReport = async () => {
      await page.getByRole('alert').first().waitFor();
      expect(await page.getByRole('alert').allInnerTexts()).toEqual([
        'You do not have permission for some of this.',
      ]);
    };

    const [row] = await readRows(page);
    await scrollToEnd(page);
    await page.getByText('40 of 60 requests').waitFor();
    for (let visit = 1; visit <= 2; visit += 1) {
      await readRows(page);
      await expectReport();
      await page.getByRole('link', { name: 'Fuse assortment' }).click();
      await page.getByRole('heading', { name: 'Edit' }).waitFor();
      await expectReport();
      await page.getByRole('link', { name: 'All purchase requests' }).click();
    }

    expect(row?.slice(0, 3)).toEqual(['Fuse assortment', 'Nordlys Elektronik AB, SE', '–']);
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
    const { page, countOf, faults } = await openSite();
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
    expect(countOf('Export')).toBe(2);
    expect(faults).toEqual([]);
  });
});

describe.skipIf(reason !== undefined)(`the web client’s bulk change${skipped}`, () => {
  it('changes the selected rows in one go, and shows for each what became of it', async () => {
    const { page, calls, countOf, execute, faults } = await openSite();
    const [, second] = await readIds(page);
    await selectRows(page, SELECTED);
    await execute(remove(second));

    await page.getByRole('button', { name: `Change ${SELECTED} selected` }).click();
    await page.getByText(`${SELECTED - 1} of ${SELECTED} changed`).waitFor();

    const states = await readStates(page);
    expect(states[0]).toBe('Rejected Changed');
    expect(states[1]).toContain('Not changed: The platform has no such resource.');
    expect(states.slice(2, SELECTED)).toEqual(Array(SELECTED - 2).fill('Rejected Changed'));
    expect(states[SELECTED]).not.toContain('hanged');
    expect(await page.getByRole('progressbar').getAttribute('value')).toBe(String(SELECTED));
    expect(countOf('BulkChange')).toBe(2);
    // The gateway compares the rows first, so the missing row is not written.
    expect(calls.filter((call) => call.includes('updateValues'))).toHaveLength(SELECTED - 1);
    expect(faults).toEqual([]);
  });

  it('selects all rows and deselects them, while the list stands still', async () => {
    const { page, streams, faults } = await openSite();
    await untilLive(page);
    await startSelecting(page);
    const all = page.getByLabel('Select all 20 shown');

    await page.getByText('Paused', { exact: true }).waitFor();
    await expect.poll(streams).toBe(0);
    await all.check();
    await page.getByRole('button', { name: 'Change 20 selected' }).waitFor();
    await all.uncheck();
    await page.getByRole('button', { name: 'Change 0 selected' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await untilLive(page);

    expect(await page.getByRole('row').getByRole('checkbox').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('sends rows again that were sent more than ten minutes ago, and changes only the unchanged ones', async () => {
    const { page, calls, operations, execute } = await openSite();
    const ids = (await readIds(page)).slice(0, 3);
    for (const id of ids) await execute(update(id, 'status: SUBMITTED'));
    await page.reload();
    await readRows(page);
    await selectRows(page, 3);
    // The change is made, and its answer is lost.
    const lose = (route: Route) => route.fetch().then(() => route.abort());
    await page.route('**/graphql', lose, { times: 1 });
    await page.getByRole('button', { name: 'Change 3 selected' }).click();
    const again = page.getByRole('button', { name: 'Send the rest again' });
    await again.waitFor();
    await execute(update(ids[1], 'status: SUBMITTED'));
    await execute(update(ids[2], 'status: DRAFT'));
    const [callsBefore, operationsBefore] = [calls.length, operations.length];
    await page.evaluate(() => {
      const now = Date.now;
      Date.now = () => now() + 600_000;
    });

    await again.click();
    await page.getByText('2 of 3 changed').waitFor();

    expect(operations.slice(operationsBefore)).toEqual(['BulkChange']);
    const updates = calls.slice(callsBefore).filter((call) => call.includes('updateValues'));
    expect(updates).toHaveLength(1);
    expect((await readStates(page)).slice(0, 3)).toEqual([
      'Rejected Changed',
      'Rejected Changed',
      'Draft Not changed: Somebody else has changed it meanwhile.',
    ]);
    expect(await again.count()).toBe(0);
  });
});

describe.skipIf(reason !== undefined)(`the web client’s live list${skipped}`, () => {
  it('shows on all pages what somebody else changes and creates, by one stream and without a query', async () => {
    const { page, countOf, execute, streams, faults } = await openSite();
    await untilLive(page);
    await scrollToEnd(page);
    await page.getByText('40 of 60 requests').waitFor();
    await untilLive(page);

    await execute(update((await readIds(page))[35], 'title: "Changed elsewhere"'));
    await page.getByRole('link', { name: 'Changed elsewhere' }).waitFor();
    await execute(`mutation {
      createPurchaseRequest(input: { values: {
        title: "Created elsewhere", amount: 1, quantity: 1, status: DRAFT, requester: "1", neededBy: "2027-01-31"
      } }) { instance { id } }
    }`);
    await page.getByRole('link', { name: 'Created elsewhere' }).waitFor();

    expect(await readRows(page)).toHaveLength(40);
    expect(await page.getByRole('status').innerText()).toBe('40 of 61 requests');
    expect(countOf('Requests')).toBe(2);
    await expect.poll(streams).toBe(1);
    expect(faults).toEqual([]);
  });

  it('shows changes by others in an open request until it is deleted, and keeps the user’s input', async () => {
    const { page, url, execute, faults } = await openSite();
    await page.goto(`${url}#/requests/41`);
    await page.getByLabel('Amount').fill('2700');
    await untilLive(page);

    await execute(update('41', 'amount: 3000, notes: "Theirs."'));
    await page.getByText('Somebody else has changed it to “3000”.').waitFor();

    expect(await page.locator('.facts').innerText()).toMatch(/€3,000\.00[\s\S]*Theirs\./);
    expect(await page.getByLabel('Amount').inputValue()).toBe('2700');
    expect(await page.getByLabel('Notes').inputValue()).toBe('Theirs.');
    expect(faults).toEqual([]);
    await execute(remove('41'));

    await page.getByText('There is no such purchase request, or not any more.').waitFor();
  });

  it('is not called live when the gateway is lost', async () => {
    const { page, stopGateway } = await openSite();
    await untilLive(page);

    await stopGateway();

    await page.getByText('Reconnecting …').waitFor();
    expect(await page.getByText('Live', { exact: true }).count()).toBe(0);
    expect(await readRows(page)).toHaveLength(20);
  });
});
