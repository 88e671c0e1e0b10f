import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { prepareSite, readRows, USER_MODE } from './site.ts';

const { reason, openSite } = prepareSite();

/** Returns the violations of WCAG 2.2 (A and AA) that axe finds on a page, in light and dark. */
async function findFaults(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
    faults.push(
      ...violations.map(
        ({ id, nodes }) => `${colorScheme}: ${id} at ${nodes.map(({ html }) => html).join()}`,
      ),
    );
  }
  return faults;
}

describe.skipIf(reason !== undefined)(
  `the web client${reason ? ` (skipped: ${reason})` : ''}`,
  () => {
    it.each([1280, 390])(
      'has no violation of WCAG 2.2 (A and AA), in light and dark, %i pixels wide',
      async (width) => {
        const { page, url, signIn } = await openSite({ env: USER_MODE, width });

        await signIn('demo', 'wrong');
        await page.getByRole('alert').waitFor();
        const atSignIn = await findFaults(page);
        await signIn('demo');
        await readRows(page);
        await page.getByRole('button', { name: 'Select', exact: true }).click();
        const atList = await findFaults(page);
        await page.goto(`${url}#/suppliers/6`);
        await page.getByRole('table').waitFor();
        const atSupplier = await findFaults(page);
        await page.goto(`${url}#/requests/new`);
        await page.getByLabel('Title').waitFor();
        const atNew = await findFaults(page);
        await page.goto(`${url}#/requests/41`);
        await page.getByLabel('Amount').fill('-1');
        await page.evaluate('document.querySelector("form").noValidate = true');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.locator('.message').waitFor();
        await page.getByRole('button', { name: 'Start the approval' }).click();
        await page.getByRole('heading', { name: 'Submit request' }).waitFor();
        const atRequest = await findFaults(page);

        expect([...atSignIn, ...atList, ...atSupplier, ...atNew, ...atRequest]).toEqual([]);
      },
    );

    it('does not scroll sideways on a phone', async () => {
      const { page, url, signIn } = await openSite({ env: USER_MODE, width: 390 });
      await signIn('demo');
      const excess = async (path: string) => {
        await page.goto(`${url}#${path}`);
        await page.locator('[aria-busy=false] :is(table, li, textarea)').first().waitFor();
        return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      };

      const excesses: number[] = [];
      for (const path of ['/', '/requests/41', '/requests/new', '/suppliers', '/suppliers/6']) {
        excesses.push(await excess(path));
      }

      expect(excesses).toEqual([0, 0, 0, 0, 0]);
      await page.goto(`${url}#/`);
      await readRows(page);
      const rows = `new Set([...document.querySelectorAll('.title :is(button, .button)')].map((one) => one.offsetTop)).size`;
      expect(await page.evaluate(rows)).toBe(1);
    });

    it('is usable by keyboard alone: a list and its next page, a request and its form', async () => {
      const { page } = await openSite();
      await readRows(page);
      const pressUntil = async (key: string, isReached: string) => {
        for (let presses = 0; presses < 60; presses += 1) {
          await page.keyboard.press(key);
          if (await page.evaluate<boolean>(isReached)) return;
        }
        throw new Error(`Nothing that is focused by ${key} fits ${isReached}.`);
      };

      await pressUntil('Tab', 'document.activeElement.closest("tr")?.rowIndex === 20');
      await page.getByText('40 of 60 requests').waitFor();
      await pressUntil('Tab', 'document.activeElement.closest("tr")?.rowIndex === 21');
      await pressUntil('Shift+Tab', 'document.activeElement.textContent === "Fuse assortment"');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Save' }).waitFor();
      const focusedAtRequest = await page.evaluate('document.activeElement.localName');
      const title = await page.title();
      await pressUntil('Tab', 'document.activeElement.type === "number"');
      await page.keyboard.press('Control+A');
      await page.keyboard.type('99');
      await page.keyboard.press('Enter');
      await page.getByText('Saved.').waitFor();

      expect([focusedAtRequest, title]).toEqual(['main', 'Fuse assortment – Purchase requests']);
      expect(await page.locator('.facts').innerText()).toMatch(/€99\.00/);
    });
  },
);
