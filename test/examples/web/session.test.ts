import { describe, expect, it } from 'vitest';

import { readRows } from './site.ts';
import { prepareStage } from './stage.ts';

const { reason, openSite } = prepareStage();

const HOUR_MS = 3_600_000;

describe.skipIf(reason !== undefined)(`the web client’s session${reason ? ` (skipped: ${reason})` : ''}`, () => {
  it('begins with the right password, and not with a wrong one', async () => {
    const { page, signIn } = await openSite();

    await signIn('demo', 'wrong');
    const refusal = await page.getByRole('alert').innerText();
    await signIn('demo');

    expect(refusal).toBe('The platform does not know this name with this password.');
    expect(await readRows(page)).toHaveLength(10);
    expect(await page.evaluate('document.cookie')).toBe('');
  });

  it('is still there when the page is loaded again, and ends with nothing left of it', async () => {
    const { page } = await openSite().then(async (site) => {
      await site.signIn('demo');
      return site;
    });
    await readRows(page);
    await page.reload();
    await readRows(page);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('User name').waitFor();
    const text = await page.locator('body').innerText();
    await page.reload();
    await page.getByLabel('User name').waitFor();

    expect(text).not.toMatch(/Fuse assortment|demo/);
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('ends when the platform says so; who signs in again is where they were', async () => {
    let nowMs = Date.now();
    const { page, url, signIn } = await openSite({ now: () => nowMs });
    await signIn('demo');
    await readRows(page);

    nowMs += HOUR_MS;
    await page.goto(`${url}/#/requests/41`);
    await page.getByText('Your session has ended. Sign in to go on where you were.').waitFor();
    nowMs -= HOUR_MS;
    await signIn('demo');

    await page.getByRole('heading', { name: 'Presentation training for sales' }).waitFor();
  });

  it('says that the gateway cannot be reached, and lets one try again', async () => {
    const { page, url, signIn, stopGateway } = await openSite();
    await signIn('demo');
    await readRows(page);

    await stopGateway();
    await page.goto(`${url}/#/requests/41`);

    expect(await page.getByRole('alert').innerText()).toMatch(/^The gateway cannot be reached\.[\s\S]*Try again$/);
    expect(await page.getByRole('button', { name: 'Try again' }).isEnabled()).toBe(true);
  });

  it('says that the platform wants to be left alone for a while', async () => {
    const { page, signIn } = await openSite();

    await signIn('hasty');
    await readRows(page);
    await page.getByRole('link', { name: 'Next' }).click();

    await page.getByText('Too much was asked of the platform just now.').waitFor();
  });
});
