import axe, { type RunOptions } from 'axe-core';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { startFormPlatform } from '../../support/form-platform.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { openPlayground, whyNoBrowser } from './browser.ts';
import { newTab, openSample, openTab, run, visit } from './page-driver.ts';

const PHONE = { width: 390, height: 844 };
const SCREENS = [PHONE, { width: 1440, height: 900 }];
/** The rules of axe for each colour scheme. The dark one differs only in its colours. */
const RULES: Readonly<Record<'light' | 'dark', RunOptions>> = {
  light: { resultTypes: ['violations'] },
  dark: { resultTypes: ['violations'], runOnly: ['color-contrast', 'link-in-text-block'] },
};

const FORMS = 200;
/** The CPU time of the page's main thread. Two threads that share a core may double it. */
const MAX_CPU_MS = 3_500;
const MAX_SCHEMA_BYTES = 200_000;

const reason = whyNoBrowser();
let browser: Browser;
let gateway: TestGateway;
let close: () => Promise<void>;

describe.skipIf(reason !== undefined)(reason ?? 'the page of the playground', () => {
  beforeAll(async () => {
    ({ gateway, browser, close } = await openPlayground());
  });
  afterAll(() => close?.());

  it('is one column on a phone, where a chosen sample replaces the panel', async () => {
    const { page, leave } = await visit(browser, gateway.url, { viewport: PHONE, hasTouch: true });
    expect(await page.locator('.sample').count()).toBe(0);
    const words = `[...document.querySelectorAll('.graphiql-sidebar > button')].filter((one) => one.offsetWidth > 0)
      .map((one) => getComputedStyle(one, '::after').content)`;
    const names = ['Explorer', 'Samples', 'Builder', 'History', 'Keys', 'Settings'];
    expect(await page.evaluate(words)).toEqual(names.map((name) => `"${name}"`));
    await page.getByRole('button', { name: 'Show Samples' }).click();
    expect(await overlaps(page, PHONE.width)).toEqual([]);
    expect(await page.getByRole('link', { name: 'Schema' }).isVisible()).toBe(true);

    await openSample(page, 'ListForms');

    await page.locator('.samples').waitFor({ state: 'detached' });
    await run(page, 'ListForms');
    const boxes = await boxesOf(
      page.locator(
        '.graphiql-sidebar, .graphiql-tabs, .graphiql-query-editor, .graphiql-editor-tool, .graphiql-response',
      ),
    );
    const tops = boxes.map(({ top }) => top);
    expect(tops).toEqual(tops.toSorted((one, other) => one - other));
    const status = page.locator('.status-text');
    expect(await status.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0);
    for (const name of ['Headers', 'Plan', 'Table']) {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog').waitFor();
      const boxes = await boxesOf(
        page.locator('dialog[open], dialog[open] *:not(.table-scroll *)'),
      );
      expect(boxes.filter(({ left, right }) => left < 0 || right > PHONE.width)).toEqual([]);
      await page.keyboard.press('Escape');
    }
    await page.getByRole('button', { name: 'Show Samples' }).click();
    await openSample(page, 'WatchSuppliers');
    await page.getByRole('button', { name: /^Execute query/ }).click();
    await status.getByText('Live', { exact: true }).waitFor();
    await expect.poll(async () => (await status.boundingBox())?.y).toBeLessThan(PHONE.height);
    expect(await leave()).toEqual([]);
  });

  it.each(SCREENS)(
    'has no overlap and no overflow, and light and dark no axe violation: $width',
    async (viewport) => {
      const { page, leave } = await visit(browser, gateway.url, { viewport });
      await run(page, 'PurchaseRequests');
      expect(await overlaps(page, viewport.width)).toEqual([]);
      if (viewport === PHONE) await page.getByRole('button', { name: 'Show Samples' }).click();
      const found = [await violations(page)];
      for (const name of ['Headers', 'Plan', 'Table']) {
        await page.getByRole('button', { name, exact: true }).click();
        await page.getByRole('dialog').waitFor();
        found.push(await violations(page, 'dialog[open]'));
        await page.keyboard.press('Escape');
      }
      await openTab(page, 'ListInstances');
      await page.getByRole('button', { name: 'Show Query Builder' }).click();
      await page.getByText('Fields of one type').first().click();
      await page.getByRole('searchbox', { name: 'Filter types' }).fill('supplier');
      found.push(await violations(page, '.graphiql-plugin'));
      await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
      await page.getByText('Purchase request', { exact: true }).click();
      found.push(await violations(page, '.graphiql-plugin'));
      await openTab(page, 'PurchaseRequests');
      await page.getByRole('button', { name: 'Copy as code' }).click();
      await page.getByRole('menu').waitFor();
      found.push(await violations(page, '[role=menu]'));
      await page.keyboard.press('Escape');
      await newTab(
        page,
        'mutation { createSupplier(input: { values: { name: "A", country: DE, active: true, rating: 9 } }) { instance { id } } }',
      );
      await page.getByRole('button', { name: /^Execute query/ }).click();
      await page.locator('.violations button').first().waitFor();
      found.push(await violations(page, '.violations'));

      expect(found.flat()).toEqual([]);
      await page.goto(`${gateway.url}/playground/docs.html`);
      expect(await violations(page)).toEqual([]);
      await page.getByRole('searchbox').fill('key');
      await page.locator('#results small').first().waitFor();
      expect(await violations(page, 'nav')).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      expect(await leave()).toEqual([]);
    },
    // axe works for most of it, which takes long on a busy machine.
    180_000,
  );

  it('begins a panel at its top, however far down another one was', async () => {
    const { page, leave } = await visit(browser, gateway.url, { viewport: PHONE, hasTouch: true });
    await openTab(page, 'ListInstances');
    await page.getByRole('button', { name: 'Show Query Builder' }).click();
    await page.locator('.builder li').last().scrollIntoViewIfNeeded();

    await page.getByRole('button', { name: 'Show Samples' }).click();

    const [panel, heading] = await boxesOf(page.locator('.graphiql-plugin, .samples-title'));
    expect(heading?.top).toBeGreaterThanOrEqual(panel?.top ?? Number.NaN);
    expect(await leave()).toEqual([]);
  });

  it('opens no keyboard on a phone: nothing to type in has the focus until it is touched', async () => {
    const { page, leave } = await visit(browser, gateway.url, {
      viewport: PHONE,
      hasTouch: true,
      isMobile: true,
    });
    const focused = () => page.evaluate<string>('document.activeElement.localName');
    const seen = [await focused()];
    await run(page, 'PurchaseRequests');
    seen.push(await focused());
    for (const name of [
      'Show Query Builder',
      'Show Samples',
      'Show Documentation Explorer',
      'Show History',
    ]) {
      await page.getByRole('button', { name }).tap();
      seen.push(await focused());
    }
    for (const name of ['Headers', 'Plan', 'Table']) {
      await page.getByRole('button', { name, exact: true }).tap();
      await page.getByRole('dialog').waitFor();
      seen.push(await focused());
      await page.keyboard.press('Escape');
    }
    await page.getByRole('button', { name: 'New tab' }).tap();
    seen.push(await focused());
    await page.getByRole('tab', { name: 'ListInstances' }).tap();
    seen.push(await focused());

    expect(seen.filter((name) => ['input', 'textarea', 'select'].includes(name))).toEqual([]);
    expect(await leave()).toEqual([]);
  });

  it(`loads the schema of ${FORMS} forms with little work and transfer`, async () => {
    const forms = Array.from({ length: FORMS }, (_, index) => ({
      idForm: `form-${index}`,
      name: `Form ${index}`,
      fields: [
        ...['name', 'description', 'owner', 'comment', 'place', 'code'].map((name) => ({
          name,
          type: 'text',
        })),
        ...['amount', 'quantity'].map((name) => ({ name, type: 'decimal', required: true })),
        { name: 'status', type: 'text', options: ['draft', 'open', 'done'] },
        { name: 'next', type: 'reference', reference: `form-${(index + 1) % FORMS}` },
      ],
    }));
    const platform = await startFormPlatform(forms);
    const large = await startGateway(platform.env);
    onTestFinished(() => large.close());
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.setViewportSize({ width: 1280, height: 800 });
    const devTools = await context.newCDPSession(page);
    await devTools.send('Performance.enable', { timeDomain: 'threadTicks' });
    const schema = page.waitForEvent('requestfinished', (request) =>
      request.url().endsWith('/schema.graphql'),
    );

    await page.goto(large.url);

    await page.locator('.graphiql-query-editor .view-line').first().waitFor();
    expect(
      await page
        .locator('.sample-name')
        .filter({ hasText: /^Create/ })
        .count(),
    ).toBeGreaterThanOrEqual(FORMS);
    const { metrics } = await devTools.send('Performance.getMetrics');
    const seconds = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
    expect(seconds * 1_000).toBeLessThanOrEqual(MAX_CPU_MS);
    expect((await (await schema).sizes()).responseBodySize).toBeLessThanOrEqual(MAX_SCHEMA_BYTES);
    // The builder scrolls to the first ticked field.
    await page.getByRole('button', { name: 'Show Query Builder' }).click();
    await expect
      .poll(() => page.locator('.builder input:checked').first().boundingBox())
      .toMatchObject({ y: expect.toSatisfy((y: number) => y > 0 && y < 800) });
  }, 60_000);
});

/** Panes and controls that lie over one another or beyond the page's width. */
async function overlaps(page: Page, width: number): Promise<readonly string[]> {
  const controls =
    '.top-bar > *, .graphiql-sidebar > button, .graphiql-plugin, .graphiql-tabs, .graphiql-tab-add';
  const panes = '.graphiql-query-editor, .graphiql-editor-tools, .graphiql-editor-tool';
  const answer = '.graphiql-response .result-window, .status-line > *';
  const boxes = await boxesOf(page.locator([controls, panes, answer].join()));
  // GraphiQL moves hidden elements to the left of the page.
  const seen = boxes.filter(({ right }) => right > 0);
  const beyond = seen
    .filter(({ right }) => right > width + 1)
    .map(({ name }) => `${name} beyond the page`);
  const over = seen.flatMap((one, index) =>
    seen.slice(index + 1).flatMap((other) => {
      const x = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const y = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      return x > 1 && y > 1 ? [`${one.name} over ${other.name}`] : [];
    }),
  );
  return [...beyond, ...over];
}

/** The boxes of visible elements, in the order of the document. */
async function boxesOf(locator: Locator) {
  const boxes = await locator.evaluateAll((elements) =>
    elements
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .map((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        return { name: element.getAttribute('class'), left, right, top, bottom };
      }),
  );
  return boxes.filter(({ left, right, top, bottom }) => right - left >= 1 && bottom > top);
}

/**
 * Returns the violations that axe finds within an element, without Monaco's editors and GraphiQL's
 * tabs.
 */
async function violations(page: Page, within = 'html'): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const look = async ({ within, options }: { within: string; options: RunOptions }) => {
      const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
      const context = { include: within, exclude: ['.monaco-editor', '.graphiql-tabs'] };
      const { violations } = await axe.run(context, options);
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
      );
    };
    const seen = await page.evaluate(look, { within, options: RULES[colorScheme] });
    found.push(...seen.map((violation) => `${colorScheme}: ${violation}`));
  }
  return found;
}
