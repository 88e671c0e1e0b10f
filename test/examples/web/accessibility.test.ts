import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { readRows } from './site.ts';
import { prepareStage } from './stage.ts';

const { reason, openSite } = prepareStage();

/** Gives what the rules of WCAG 2.2 (A and AA), as axe knows them, find on a page in light and dark. */
async function findFaults(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
    faults.push(
      ...violations.map(({ id, nodes }) => `${colorScheme}: ${id} at ${nodes.map(({ html }) => html).join()}`),
    );
  }
  return faults;
}

describe.skipIf(reason !== undefined)(`the web client${reason ? ` (skipped: ${reason})` : ''}`, () => {
  it.each([1280, 390])('can be used by everybody, %i pixels wide', async (width) => {
    const { page, url, signIn } = await openSite({ width });

    await signIn('demo', 'wrong');
    await page.getByRole('alert').waitFor();
    const atSignIn = await findFaults(page);
    await signIn('demo');
    await readRows(page);
    const atInbox = await findFaults(page);
    await page.goto(`${url}/#/requests/41`);
    await page.getByRole('button', { name: 'Start the approval' }).click();
    await page.getByRole('heading', { name: 'Submit request' }).waitFor();
    const atRequest = await findFaults(page);

    expect([...atSignIn, ...atInbox, ...atRequest]).toEqual([]);
  });

  it.each([1280, 390])('fits a screen of %i pixels, with nothing to scroll sideways for', async (width) => {
    const { page, url, signIn } = await openSite({ width });
    const excess = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

    await signIn('demo');
    await readRows(page);
    const ofInbox = await excess();
    await page.goto(`${url}/#/requests/41`);
    await page.getByRole('heading', { name: 'Change' }).waitFor();

    expect([ofInbox, await excess()]).toEqual([0, 0]);
  });

  it('can be used by the keyboard alone, and goes on reading at the beginning of a page', async () => {
    const { page, signIn } = await openSite();
    await signIn('demo');
    await readRows(page);

    await page.getByRole('link', { name: 'Fuse assortment' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Fuse assortment' }).waitFor();

    expect(await page.evaluate('document.activeElement.localName')).toBe('main');
    expect(await page.title()).toBe('Fuse assortment – Purchase requests');
  });

  it('would be found out: what is planted is', async () => {
    const { page } = await openSite();
    await page.getByLabel('User name').waitFor();

    await page.evaluate(`
      document.querySelector('h1').style.color = '#8888';
      document.querySelector('main').append(new Image());
    `);

    expect(await findFaults(page)).toEqual(
      ['light: color-contrast', 'light: image-alt', 'dark: color-contrast', 'dark: image-alt'].map((fault) =>
        expect.stringContaining(fault),
      ),
    );
  });
});
