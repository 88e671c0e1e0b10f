import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { readFirstEvent } from '../../support/event-stream.ts';
import { type Env, startGateway } from '../../support/gateway.ts';
import {
  clickButton,
  copyAs,
  executeButton,
  openPage,
  openSample,
  openTab,
  sharePlayground,
  statusParts,
  textOf,
  typeQuery,
  visit,
  whyNoBrowser,
} from './browser.ts';

const SETTINGS = { METRICS_PORT: '0', LIVE_INTERVAL_MS: '1000' };

const CREATE_SAMPLE = readFileSync(
  join(import.meta.dirname, '../../../playground/samples/create-instance.graphql'),
  'utf8',
);

const reason = whyNoBrowser();

describe.skipIf(reason !== undefined)(reason ?? 'a subscription in the playground', () => {
  const playground = sharePlayground(SETTINGS);
  let page: Page;
  let leave: () => Promise<void>;

  beforeAll(async () => {
    ({ page, leave } = await visit(playground.browser, playground.gateway.url));
  });
  afterAll(() => leave?.());

  async function start(sample: string, on = page): Promise<void> {
    await openSample(on, sample);
    await executeButton(on).click();
    await expect.poll(() => statusParts(on)).toContain('1 result');
  }

  /** Opens the page of another gateway, which logs errors. */
  async function openOther(env: Env) {
    const other = await startGateway({ TYPED_FORMS: '*', ...SETTINGS, ...env });
    return { other, page: await openPage(playground.browser, other.url, { mayFail: true }) };
  }

  const totalCount = async () =>
    Number(/"totalCount": (\d+)/.exec(await textOf(page, 'response'))?.[1]);

  /** How many streams the gateway counts. */
  async function streams(): Promise<number> {
    const metrics = await playground.gateway.metrics();
    return Number(/^caseway_live_streams (\d+)$/m.exec(metrics)?.[1]);
  }

  it('shows the state and then each change, until it is stopped', async () => {
    await start('WatchSuppliers');
    const live = ['200', 'Live', expect.stringMatching(/^last result at \S+/)];
    const total = await totalCount();
    expect((await statusParts(page)).slice(0, 4)).toEqual([...live, '1 result']);
    await playground.gateway.dataOf(
      'mutation { createSupplier(input: { values: { name: "New", country: DE, active: true } }) { instance { id } } }',
    );
    await expect.poll(totalCount).toBe(total + 1);
    expect((await statusParts(page)).slice(0, 4)).toEqual([...live, '2 results']);
    expect(await streams()).toBe(1);
    await page.getByRole('button', { name: /^Stop query/ }).click();

    await expect.poll(streams).toBe(0);
    await executeButton(page).waitFor();
    expect(await statusParts(page)).toEqual([]);
    expect(await totalCount()).toBe(total + 1);
    const old = page.locator('.old-result');
    expect(await old.innerText()).toContain('old result');
    await openTab(page, 'ListInstances');
    expect(await old.count()).toBe(0);
    await openTab(page, 'WatchSuppliers');
    await old.waitFor();
  });

  it('follows the change of a mutation’s sample', async () => {
    await start('WatchInstances');
    const { values } =
      /createInstance\(\s*input: (?<values>\{[\s\S]+?\} \})/.exec(CREATE_SAMPLE)?.groups ?? {};

    await playground.gateway.dataOf(
      `mutation { createInstance(input: ${values}) { instance { id } } }`,
    );

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
    const { other, page } = await openOther({});
    await start('WatchInstances', page);

    await other.close();

    await expect.poll(() => statusParts(page)).toContain('Ended: run it again to go on');
    await executeButton(page).waitFor();
  });

  it('has no samples where the gateway has no live queries, and shows why it is refused there', async () => {
    const { page } = await openOther({ LIVE_INTERVAL_MS: '0' });

    const names = await page.locator('.sample-name').allTextContents();

    expect(names.filter((name) => name.startsWith('Watch'))).toEqual([]);
    expect(names).toContain('ListInstances');
    await typeQuery(page, 'subscription Refused { nothing }');
    await page.getByRole('tab', { name: 'Refused' }).waitFor();
    await executeButton(page).click();
    await expect.poll(() => statusParts(page)).toContain('400 with errors');
    expect(await textOf(page, 'response')).toContain('BAD_USER_INPUT');
  });

  it('has a plan, and a cURL command that opens the stream', async () => {
    await openSample(page, 'WatchInstances');
    const command = await copyAs(page, 'cURL');
    await clickButton(page, 'Plan');

    const plan = page.getByRole('dialog', { name: 'Plan' });
    await plan.getByText('1 call, then at most 6 a minute').waitFor();
    expect(await readFirstEvent(`exec ${command} --silent --no-buffer`)).toContain('event: next');
  });
});
