import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { readFirstEvent } from '../../support/event-stream.ts';
import { type Env, startGateway, type TestGateway } from '../../support/gateway.ts';
import { openPlayground, whyNoBrowser } from './browser.ts';
import {
  copyAs,
  openSample,
  openTab,
  statusParts,
  textOf,
  type Visit,
  visit,
} from './page-driver.ts';

const SETTINGS = { METRICS_PORT: '0', LIVE_INTERVAL_MS: '1000' };

const CREATE =
  'mutation { createSupplier(input: { values: { name: "New", country: DE, active: true } }) { instance { id } } }';

const CREATE_SAMPLE = readFileSync(
  join(import.meta.dirname, '../../../playground/samples/create-instance.graphql'),
  'utf8',
);

const reason = whyNoBrowser();

describe.skipIf(reason !== undefined)(reason ?? 'a subscription in the playground', () => {
  let browser: Browser;
  let gateway: TestGateway;
  let close: () => Promise<void>;
  let page: Page;
  let leave: Visit['leave'];

  beforeAll(async () => {
    ({ gateway, browser, close } = await openPlayground(SETTINGS));
    ({ page, leave } = await visit(browser, gateway.url));
  });
  afterAll(async () => {
    expect(await leave?.()).toEqual([]);
    await close?.();
  });

  async function start(sample: string, on = page): Promise<void> {
    await openSample(on, sample);
    await on.getByRole('button', { name: /^Execute query/ }).click();
    await expect.poll(() => statusParts(on)).toContain('1 result');
  }

  /** A visit of another gateway, whose faults are the test's own. */
  async function visitOther(env: Env) {
    const other = await startGateway({ TYPED_FORMS: '*', ...SETTINGS, ...env });
    const visited = await visit(browser, other.url);
    onTestFinished(async () => void (await visited.leave()));
    return { other, page: visited.page };
  }

  const totalCount = async () =>
    Number(/"totalCount": (\d+)/.exec(await textOf(page, 'response'))?.[1]);

  /** How many streams the gateway counts. */
  async function streams(): Promise<number> {
    const metrics = await gateway.metrics();
    return Number(/^caseway_live_streams (\d+)$/m.exec(metrics)?.[1]);
  }

  it('shows the state and then each change, until it is stopped', async () => {
    await start('WatchSuppliers');
    const first = await statusParts(page);
    const total = await totalCount();
    await gateway.execute(CREATE);
    await expect.poll(totalCount).toBe(total + 1);
    const second = await statusParts(page);
    const before = await streams();
    await page.getByRole('button', { name: /^Stop query/ }).click();
    await expect.poll(streams).toBe(0);

    expect(first.slice(0, 4)).toEqual([
      '200',
      'Live',
      expect.stringMatching(/^last result at \S+/),
      '1 result',
    ]);
    expect(second.slice(0, 4)).toEqual([
      '200',
      'Live',
      expect.stringMatching(/^last result at \S+/),
      '2 results',
    ]);
    expect(before).toBe(1);
    await page.getByRole('button', { name: /^Execute query/ }).waitFor();
    expect(await statusParts(page)).toEqual([]);
    expect(await totalCount()).toBe(total + 1);
    expect(await page.locator('.old-result').innerText()).toContain('old result');
    await openTab(page, 'ListInstances');
    expect(await page.locator('.old-result').count()).toBe(0);
    await openTab(page, 'WatchSuppliers');
    await page.locator('.old-result').waitFor();
  });

  it('follows the change of a mutation’s sample', async () => {
    await start('WatchInstances');
    const { values } =
      /createInstance\(\s*input: (?<values>\{[\s\S]+?\} \})/.exec(CREATE_SAMPLE)?.groups ?? {};

    await gateway.execute(`mutation { createInstance(input: ${values}) { instance { id } } }`);

    await expect.poll(() => textOf(page, 'response')).toContain('Nordlicht Office');
    await expect
      .poll(() => statusParts(page))
      .toContainEqual(expect.stringMatching(/^\d+ polls?$/));
    await page.getByRole('button', { name: /^Stop query/ }).click();
  });

  it('ends when another tab is opened', async () => {
    await start('WatchInstances');

    await openTab(page, 'ListInstances');

    await expect.poll(streams).toBe(0);
    expect(await statusParts(page)).toEqual([]);
  });

  it('offers another run when the gateway ends it', async () => {
    const { other, page } = await visitOther({});
    await start('WatchInstances', page);

    await other.close();

    await expect.poll(() => statusParts(page)).toContain('Ended: run it again to go on');
    await page.getByRole('button', { name: /^Execute query/ }).waitFor();
  });

  it('has no samples where the gateway has no live queries, and shows why it is refused there', async () => {
    const { page } = await visitOther({ LIVE_INTERVAL_MS: '0' });

    const names = await page.locator('.sample-name').allTextContents();

    expect(names.filter((name) => name.startsWith('Watch'))).toEqual([]);
    expect(names).toContain('ListInstances');
    await page.locator('.graphiql-query-editor .monaco-editor').first().click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText('subscription Refused { nothing }');
    await page.getByRole('tab', { name: 'Refused' }).waitFor();
    await page.getByRole('button', { name: /^Execute query/ }).click();
    await expect.poll(() => statusParts(page)).toContain('400 with errors');
    expect(await textOf(page, 'response')).toContain('BAD_USER_INPUT');
  });

  it('has a plan, and a cURL command that opens the stream', async () => {
    await openSample(page, 'WatchInstances');
    const command = await copyAs(page, 'cURL');
    await page.getByRole('button', { name: 'Plan' }).click();

    await page
      .getByRole('dialog', { name: 'Plan' })
      .getByText('1 call, then at most 6 a minute')
      .waitFor();
    expect(await readFirstEvent(`exec ${command} --silent --no-buffer`)).toContain('event: next');
  });
});
