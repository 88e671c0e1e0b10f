import { describe, expect, it } from 'vitest';

import { readRows } from './site.ts';
import { prepareStage } from './stage.ts';

const { reason, openSite } = prepareStage();

/** Opens the request of 2,600 EUR that waits for a decision. */
const open = async (name = 'demo') => {
  const site = await openSite();
  await site.signIn(name);
  await readRows(site.page);
  await site.page.goto(`${site.url}/#/requests/41`);
  await site.page.getByRole('heading', { name: 'Presentation training for sales' }).waitFor();
  return site;
};

describe.skipIf(reason !== undefined)(`the web client’s request${reason ? ` (skipped: ${reason})` : ''}`, () => {
  it('shows whom and what it refers to', async () => {
    const { page, faults } = await open();

    const facts = await page.locator('.facts').innerText();

    expect(facts).toMatch(/€2,600\.00/);
    expect(facts).toMatch(/Alpenblick Seminare/);
    expect(facts).toMatch(/reports to/);
    expect(faults).toEqual([]);
  });

  it('is changed, and the inbox shows it', async () => {
    const { page, calls } = await open();

    await page.getByLabel('Status').selectOption('Approved');
    await page.getByLabel('Amount, in EUR').fill('2650.5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.locator('.facts', { hasText: '€2,650.50' }).waitFor();
    const facts = await page.locator('.facts').innerText();
    await page.goto(`${page.url().split('#')[0]}#/?text=presentation+training`);
    const [row] = await readRows(page);

    expect(facts).toMatch(/Approved[\s\S]*€2,650\.50/);
    expect(row?.slice(3)).toEqual(['€2,650.50', expect.any(String), 'Approved']);
    expect(calls.filter((call) => call.includes('updateValuesOfFormIntance'))).toHaveLength(1);
  });

  it('says beside each field what does not fit, all at once, and asks the platform nothing', async () => {
    const { page, calls } = await open();

    await page.evaluate('document.querySelector("form").noValidate = true');
    await page.getByLabel('Title').fill('');
    await page.getByLabel('Amount, in EUR').fill('-1');
    await page.getByRole('button', { name: 'Save' }).click();
    const alert = await page.getByRole('alert').innerText();
    const violations = await page.locator('.violation').allInnerTexts();

    expect(alert).toBe('Some of what you entered does not fit; the fields say what.');
    expect(violations).toEqual(['It must have a value.', 'It must be at least 0.']);
    expect(await page.getByLabel('Amount, in EUR').getAttribute('aria-describedby')).toBeTruthy();
    expect(calls.filter((call) => call.includes('updateValuesOfFormIntance'))).toEqual([]);
  });

  it('is not offered for change to somebody who may only read', async () => {
    const { page } = await open('reader');

    await page.getByText('You may look at this request, and not change it.').waitFor();

    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  });

  it('asks a rule who must approve it', async () => {
    const { page } = await open();

    await page.getByRole('button', { name: 'Who must approve this?' }).click();

    await page.getByText('A manager approves €2,600.00.').waitFor();
  });

  it('goes through its approval, also when the page is loaded again in between', async () => {
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

  it('says that there is none of a number, and no page of an address', async () => {
    const { page, url } = await open();

    await page.goto(`${url}/#/requests/999999`);
    await page.getByText('There is no such request, or not any more.').waitFor();
    await page.goto(`${url}/#/elsewhere`);

    await page.getByText('There is no such page.').waitFor();
  });
});
