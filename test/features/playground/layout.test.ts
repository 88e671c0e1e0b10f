import axe, { type RunOptions } from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { startFormPlatform } from '../../support/form-platform.ts';
import { startGateway } from '../../support/gateway.ts';
import {
  clickButton,
  clipboard,
  executeButton,
  newTab,
  openPage,
  openSample,
  openTab,
  run,
  sharePlayground,
  statusParts,
  textOf,
  whyNoBrowser,
} from './browser.ts';

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };
const DIALOGS = ['Headers', 'Plan', 'Table'];
/** The rules of axe for each colour scheme. The dark one differs only in its colours. */
const RULES: Readonly<Record<'light' | 'dark', RunOptions>> = {
  light: { resultTypes: ['violations'] },
  dark: { resultTypes: ['violations'], runOnly: ['color-contrast', 'link-in-text-block'] },
};

const FORMS = 200;
/** The CPU time of the page's main thread. Two threads that share a core may double it. */
const MAX_CPU_MS = 3_500;
const MAX_SCHEMA_BYTES = 200_000;

/** A key that needs more presses of Tab is out of reach. */
const MAX_TABS = 250;

const reason = whyNoBrowser();

describe.skipIf(reason !== undefined)(reason ?? 'the page of the playground', () => {
  const playground = sharePlayground({ LIVE_INTERVAL_MS: '1000' });
  const open = (options: Parameters<typeof openPage>[2]) =>
    openPage(playground.browser, playground.gateway.url, options);

  it('is one column on a phone, where a chosen sample replaces the panel', async () => {
    const page = await open({ viewport: PHONE, hasTouch: true });
    expect(await page.locator('.sample').count()).toBe(0);
    const words = `[...document.querySelectorAll('.graphiql-sidebar > button')].filter((one) => one.offsetWidth > 0)
      .map((one) => getComputedStyle(one, '::after').content)`;
    const names = ['Explorer', 'Samples', 'Builder', 'History', 'Keys', 'Settings'];
    expect(await page.evaluate(words)).toEqual(names.map((name) => `"${name}"`));
    await clickButton(page, 'Show Samples');
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
    for (const name of DIALOGS) {
      await clickButton(page, name);
      await page.getByRole('dialog').waitFor();
      const boxes = await boxesOf(
        page.locator('dialog[open], dialog[open] *:not(.table-scroll *)'),
      );
      expect(boxes.filter(({ left, right }) => left < 0 || right > PHONE.width)).toEqual([]);
      await page.keyboard.press('Escape');
    }
    await clickButton(page, 'Show Samples');
    await openSample(page, 'WatchSuppliers');
    await executeButton(page).click();
    await status.getByText('Live', { exact: true }).waitFor();
    await expect.poll(async () => (await status.boundingBox())?.y).toBeLessThan(PHONE.height);
  });

  it.each([PHONE, DESKTOP])(
    'has no overlap and no overflow, and light and dark no axe violation: $width',
    async (viewport) => {
      const page = await open({ viewport });
      await run(page, 'PurchaseRequests');
      expect(await overlaps(page, viewport.width)).toEqual([]);
      if (viewport === PHONE) await clickButton(page, 'Show Samples');
      const found = [await violations(page)];
      for (const name of DIALOGS) {
        await clickButton(page, name);
        await page.getByRole('dialog').waitFor();
        found.push(await violations(page, 'dialog[open]'));
        await page.keyboard.press('Escape');
      }
      await openTab(page, 'ListInstances');
      await clickButton(page, 'Show Query Builder');
      await page.getByText('Fields of one type').first().click();
      await page.getByRole('searchbox', { name: 'Filter types' }).fill('supplier');
      found.push(await violations(page, '.graphiql-plugin'));
      await clickButton(page, 'Show Documentation Explorer');
      await page.getByText('Purchase request', { exact: true }).click();
      found.push(await violations(page, '.graphiql-plugin'));
      await openTab(page, 'PurchaseRequests');
      await clickButton(page, 'Copy as code');
      await page.getByRole('menu').waitFor();
      found.push(await violations(page, '[role=menu]'));
      await page.keyboard.press('Escape');
      await newTab(
        page,
        'mutation { createSupplier(input: { values: { name: "A", country: DE, active: true, rating: 9 } }) { instance { id } } }',
      );
      await executeButton(page).click();
      await page.locator('.violations button').first().waitFor();
      found.push(await violations(page, '.violations'));

      expect(found.flat()).toEqual([]);
      await page.goto(`${playground.gateway.url}/playground/docs.html`);
      expect(await violations(page)).toEqual([]);
      await page.getByRole('searchbox').fill('key');
      await page.locator('#results small').first().waitFor();
      expect(await violations(page, 'nav')).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    },
    // axe works for most of it, which takes long on a busy machine.
    180_000,
  );

  it('begins a panel at its top, however far down another one was', async () => {
    const page = await open({ viewport: PHONE, hasTouch: true });
    await openTab(page, 'ListInstances');
    await clickButton(page, 'Show Query Builder');
    await page.locator('.builder li').last().scrollIntoViewIfNeeded();

    await clickButton(page, 'Show Samples');

    const [panel, heading] = await boxesOf(page.locator('.graphiql-plugin, .samples-title'));
    expect(heading?.top).toBeGreaterThanOrEqual(panel?.top ?? Number.NaN);
  });

  it('opens no keyboard on a phone: nothing to type in has the focus until it is touched', async () => {
    const page = await open({
      viewport: PHONE,
      hasTouch: true,
      isMobile: true,
    });
    const focused: string[] = [];
    const readFocus = async () =>
      focused.push(await page.evaluate<string>('document.activeElement.localName'));
    await readFocus();
    await run(page, 'PurchaseRequests');
    await readFocus();
    const panels = ['Query Builder', 'Samples', 'Documentation Explorer', 'History'];
    for (const name of [...panels.map((panel) => `Show ${panel}`), ...DIALOGS, 'New tab']) {
      await page.getByRole('button', { name, exact: true }).tap();
      if (DIALOGS.includes(name)) await page.getByRole('dialog').waitFor();
      await readFocus();
      if (DIALOGS.includes(name)) await page.keyboard.press('Escape');
    }
    await page.getByRole('tab', { name: 'ListInstances' }).tap();
    await readFocus();

    expect(focused.filter((name) => ['input', 'textarea', 'select'].includes(name))).toEqual([]);
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
    const context = await playground.browser.newContext();
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
    const samples = page.locator('.sample-name', { hasText: /^Create/ });
    expect(await samples.count()).toBeGreaterThanOrEqual(FORMS);
    const { metrics } = await devTools.send('Performance.getMetrics');
    const seconds = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
    expect(seconds * 1_000).toBeLessThanOrEqual(MAX_CPU_MS);
    expect((await (await schema).sizes()).responseBodySize).toBeLessThanOrEqual(MAX_SCHEMA_BYTES);
    // The builder scrolls to the first ticked field.
    await clickButton(page, 'Show Query Builder');
    await expect
      .poll(() => page.locator('.builder input:checked').first().boundingBox())
      .toMatchObject({ y: expect.toSatisfy((y: number) => y > 0 && y < 800) });
  });

  describe('with the keyboard alone', () => {
    let page: Page;
    beforeEach(async () => {
      page = await open({ viewport: DESKTOP });
    });
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });

    it('builds a filtered and ordered list, and reads its cost before it runs', async () => {
      await press(button('Show Query Builder'));
      const builder = page.getByRole('region', { name: 'Query Builder' });
      const conditions = builder.locator('.builder-arguments');
      const choose = (name: string) => conditions.getByLabel(name, { exact: true }).last();
      await type(builder.getByRole('combobox', { name: 'direction' }), 'DESC');
      await type(builder.getByRole('combobox', { name: 'field' }), 'CREATED');
      for (const name of ['where:', 'status:', 'eq:']) await press(choose(name), 'Space');
      await type(builder.getByRole('combobox', { name: 'eq' }), 'SUB');
      for (const name of ['amount:', 'gt:']) await press(choose(name), 'Space');
      await type(builder.getByRole('textbox', { name: 'gt' }), '1000');
      await press(builder.getByLabel('urgent', { exact: true }).last(), 'Space');
      await press(button('Plan'));
      await page.getByRole('dialog').getByText('At most 3 upstream calls').waitFor();
      await page.keyboard.press('Escape');

      await press(executeButton(page));

      await expect.poll(() => textOf(page, 'response')).toContain('"status": "SUBMITTED"');
      expect(await statusParts(page)).toContain('3 upstream calls');
      const query = (await textOf(page, 'query-editor')).replaceAll(/\s+/g, ' ');
      expect(query).toMatch(/direction: DESC, field: CREATED_AT/);
      expect(query).toMatch(/amount: \{ ?gt: "1000" ?\}/);
      expect(query).toContain('urgent');
    });

    it('corrects a wrong amount by its violation', async () => {
      await press(button(/^CreateExpense/));
      await page.getByRole('tab', { name: 'CreateExpense' }).waitFor();
      await press(page.locator('.graphiql-query-editor > div').first(), 'Enter');
      await page.keyboard.press('ControlOrMeta+F');
      await page.keyboard.type('"12.50"');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Escape');
      await page.keyboard.type('-1');
      await page.keyboard.press('ControlOrMeta+Enter');
      await press(button(/^amount must be/));
      await page.keyboard.press('Shift+ArrowRight');
      await page.keyboard.press('Delete');

      await page.keyboard.press('ControlOrMeta+Enter');

      await expect.poll(() => textOf(page, 'response')).toContain('"createExpense"');
    });

    it('watches a list, and copies the query as code', async () => {
      await press(button(/^WatchSuppliers/));
      await page.getByRole('tab', { name: 'WatchSuppliers' }).waitFor();
      await press(executeButton(page));
      await expect.poll(() => statusParts(page)).toContain('1 result');
      await playground.gateway.dataOf(
        'mutation { createSupplier(input: { values: { name: "Aa", country: DE, active: true } }) { instance { id } } }',
      );
      await expect.poll(() => statusParts(page)).toContain('2 results');

      await press(button('Copy as code'));
      await page.getByRole('menu').waitFor();
      // A busy browser would take slow letters of a longer name for several searches.
      await page.keyboard.press('f');
      const chosen = page.locator('[role=menuitem]:focus');
      await expect.poll(() => chosen.textContent()).toContain('fetch');
      await page.keyboard.press('Enter');

      await page.getByText('fetch code copied.').waitFor({ state: 'attached' });
      expect(await clipboard(page)).toContain('subscription WatchSuppliers');
    });

    /** Goes to an element by the Tab key and presses a key there. */
    async function press(target: Locator, key = 'Enter'): Promise<void> {
      await target.waitFor();
      for (let count = 0; count < MAX_TABS; count++) {
        if (await target.evaluate((element) => element.matches(':focus'))) {
          return page.keyboard.press(key);
        }
        await page.keyboard.press('Tab');
      }
      throw new Error(`Not reached by Tab: ${target}`);
    }

    /** Goes to a field and replaces its value. */
    async function type(target: Locator, text: string): Promise<void> {
      await press(target, 'ControlOrMeta+A');
      await page.keyboard.type(text);
    }
  });
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
