import { describe, expect, it } from 'vitest';

import { prepareSite, readRows, USER_MODE } from './site.ts';

const { reason, openSite } = prepareSite();

const HOUR_MS = 3_600_000;

describe.skipIf(reason !== undefined)(
  `the web client’s session${reason ? ` (skipped: ${reason})` : ''}`,
  () => {
    it('starts with the right password only, continues after a reload, and leaves nothing behind at sign-out', async () => {
      const { page, signIn } = await openSite({ env: USER_MODE });
      await signIn('demo', 'wrong');
      await page.getByText('The platform rejects this user name and password.').waitFor();
      await signIn('demo');
      await readRows(page);
      expect(await page.evaluate('document.cookie')).toBe('');
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

    it('shows the next user no data of the previous one', async () => {
      const { page, operations, signIn } = await openSite({ env: USER_MODE });
      await signIn('demo');
      await readRows(page);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('User name').waitFor();
      const sent = operations.length;

      await signIn('clerk');
      const [row] = await readRows(page);

      expect(row?.slice(0, 3)).toEqual(['Fuse assortment', 'Nordlys Elektronik AB, SE', '–']);
      expect(operations.slice(sent)).toContain('Requests');
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
  },
);
