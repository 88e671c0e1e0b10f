import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { prepareSite, readRows, USER_MODE } from './site.ts';

const { reason, skipped, openSite } = prepareSite();

const HOUR_MS = 3_600_000;

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

describe.skipIf(reason !== undefined)(`the web client’s session${skipped}`, () => {
  it('starts with the right password only, continues after a reload, and leaves nothing to the next user', async () => {
    const { page, countOf, signIn } = await openSite({ env: USER_MODE });
    const signOut = () => page.getByRole('button', { name: 'Sign out' }).click();
    await signIn('demo', 'wrong');
    await page.getByText('The platform rejects this user name and password.').waitFor();
    await signIn('demo');
    await readRows(page);
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.reload();
    await readRows(page);
    const before = countOf('Requests');

    await signOut();
    await page.getByLabel('User name').waitFor();
    const text = await page.locator('body').innerText();
    await signIn('clerk');
    const [row] = await readRows(page);
    await signOut();
    await page.getByLabel('User name').waitFor();
    await page.reload();
    await page.getByLabel('User name').waitFor();

    expect(text).not.toMatch(/Fuse assortment|demo/);
    expect(row?.slice(0, 3)).toEqual(['Fuse assortment', 'Nordlys Elektronik AB, SE', '–']);
    expect(countOf('Requests')).toBeGreaterThan(before);
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('ends when the platform ends it; after signing in again the user is on the same page', async () => {
    let nowMs = Date.now();
    const { page, url, signIn } = await openSite({ env: USER_MODE, now: () => nowMs });
    await signIn('demo');
    await readRows(page);

    nowMs += HOUR_MS;
    await page.goto(`${url}#/requests/41`);
    await page.getByText('Your session has ended. Sign in to continue where you were.').waitFor();
    nowMs -= HOUR_MS;
    await signIn('demo');

    await page.getByRole('heading', { name: 'Presentation training for sales' }).waitFor();
  });

  it('reports an unreachable gateway, and lets the user retry', async () => {
    const { page, url, stopGateway } = await openSite();
    await readRows(page);

    await stopGateway();
    await page.goto(`${url}#/requests/41`);

    expect(await page.getByRole('alert').innerText()).toMatch(
      /^The gateway cannot be reached\.[\s\S]*Try again$/,
    );
    expect(await page.getByRole('button', { name: 'Try again' }).isEnabled()).toBe(true);
  });

  it('reports how long the platform’s request limit lasts, and lets the user retry after that', async () => {
    const { page, operations, signIn } = await openSite({ env: USER_MODE });
    await signIn('hasty');
    await readRows(page);
    await page.clock.install();

    await page.getByRole('button', { name: 'Refresh' }).click();
    await page
      .getByText(/The platform has had too many requests\. Try again in \d\d seconds\./)
      .waitFor();
    const sent = operations.length;
    await page.clock.fastForward(60_000);
    await page.getByRole('button', { name: 'Try again' }).click();

    await expect.poll(() => operations.length).toBe(sent + 1);
  });
});

describe.skipIf(reason !== undefined)(`the web client’s page${skipped}`, () => {
  it.each([1280, 390])(
    'has no violation of WCAG 2.2 (A and AA), in light and dark, %i pixels wide',
    async (width) => {
      const { page, url, signIn } = await openSite({ env: USER_MODE, width });

      await signIn('demo', 'wrong');
      await page.getByRole('alert').waitFor();
      const faults = await findFaults(page);
      await signIn('demo');
      await readRows(page);
      await page.getByRole('button', { name: 'Select', exact: true }).click();
      faults.push(...(await findFaults(page)));
      await page.goto(`${url}#/suppliers/6`);
      await page.getByRole('table').waitFor();
      faults.push(...(await findFaults(page)));
      await page.goto(`${url}#/requests/new`);
      await page.getByLabel('Title').waitFor();
      faults.push(...(await findFaults(page)));
      await page.goto(`${url}#/requests/41`);
      await page.getByLabel('Amount').fill('-1');
      await page.evaluate('document.querySelector("form").noValidate = true');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('.message').waitFor();
      await page.getByRole('button', { name: 'Start the approval' }).click();
      await page.getByRole('heading', { name: 'Submit request' }).waitFor();
      faults.push(...(await findFaults(page)));

      expect(faults).toEqual([]);
    },
  );

  it('does not scroll sideways on a phone', async () => {
    const { page, url, signIn } = await openSite({ env: USER_MODE, width: 390 });
    await signIn('demo');

    for (const path of ['/', '/requests/41', '/requests/new', '/suppliers', '/suppliers/6']) {
      await page.goto(`${url}#${path}`);
      await page.locator('[aria-busy=false] :is(table, li, textarea)').first().waitFor();
      const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(excess, path).toBe(0);
    }

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
});
