import { describe, expect, it } from 'vitest';

import { prepareSite, readRows } from './site.ts';

const { reason, openSite } = prepareSite();

/** Two calls. */
const SELECTED = 12;

describe.skipIf(reason !== undefined)(`the web client’s bulk change${reason ? ` (skipped: ${reason})` : ''}`, () => {
  it('changes the selected rows in one go, and shows for each what became of it', async () => {
    const { page, calls, operations, execute, faults } = await openSite();
    await readRows(page);
    await page.getByRole('button', { name: 'Select' }).click();
    const boxes = (await page.getByRole('checkbox').all()).slice(0, SELECTED);
    for (const box of boxes) await box.check();
    const links = await page.locator('tbody th a').all();
    const gone = (await links[1]?.getAttribute('href'))?.split('/').at(-1);
    await execute(`mutation { deletePurchaseRequest(input: { instanceId: "${gone}" }) { deletedId } }`);

    await page.getByLabel('Change to').selectOption('Rejected');
    await page.getByRole('button', { name: `Change ${SELECTED} selected` }).click();
    await page.getByText(`${SELECTED - 1} of ${SELECTED} changed`).waitFor();

    const rows = await readRows(page);
    const states = rows.map((cells) => cells.at(-1)?.replace(/\s+/g, ' '));
    expect(states[0]).toBe('Rejected Changed');
    expect(states[1]).toContain('Not changed: The platform has no such resource.');
    expect(states.slice(2, SELECTED)).toEqual(Array(SELECTED - 2).fill('Rejected Changed'));
    expect(states[SELECTED]).not.toContain('hanged');
    expect(await page.getByRole('progressbar').getAttribute('value')).toBe(String(SELECTED));
    expect(operations.filter((name) => name === 'BulkChange')).toHaveLength(2);
    expect(calls.filter((call) => call.startsWith('demo updateValuesOfFormIntance'))).toHaveLength(SELECTED);
    expect(faults).toEqual([]);
  });

  it('keeps what is done where the gateway is lost, and offers to send the rest again', async () => {
    const { page, stopGateway } = await openSite();
    await readRows(page);
    await page.getByRole('button', { name: 'Select' }).click();
    await page.getByRole('checkbox').first().check();
    await stopGateway();

    await page.getByRole('button', { name: 'Change 1 selected' }).click();

    await page.getByRole('button', { name: 'Send the rest again' }).waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('cannot be reached');
  });
});
