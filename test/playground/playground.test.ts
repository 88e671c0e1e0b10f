import { readFile } from 'node:fs/promises';

import { buildSchema } from 'graphql';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';
import { buildIfOutdated, openBrowser, whyNoBrowser } from './browser.ts';
import { openTab, run, tabNames, textOf, typeVariables, type Visit, visit } from './page-driver.ts';

const DIGITS = expect.stringMatching(/^\d+$/);
const TEXT = expect.stringMatching(/./);

/** What each sample answers over the embedded platform, by its tab. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  Token: { forms: { totalCount: expect.any(Number), nodes: [{ formId: TEXT, name: TEXT }] } },
  ListForms: {
    forms: {
      nodes: expect.arrayContaining(
        ['employee', 'supplier', 'purchase-request', 'expense'].map((formId) => expect.objectContaining({ formId })),
      ),
    },
  },
  ReadForm: {
    form: { fields: expect.arrayContaining([expect.objectContaining({ name: 'supplier', reference: 'supplier' })]) },
  },
  ListInstances: {
    instances: {
      nodes: expect.arrayContaining([
        expect.objectContaining({ title: TEXT, amount: expect.any(Number), supplier: { name: TEXT, country: TEXT } }),
      ]),
    },
  },
  ReadInstance: { instance: { instanceId: DIGITS, values: { title: TEXT }, requester: { name: TEXT } } },
  CreateInstance: { createInstance: { instance: { instanceId: DIGITS, values: { name: 'Nordlicht Office' } } } },
  ReplaceInstance: { replaceInstance: { instance: { values: { amount: 1890.5, status: 'submitted' } } } },
  UpdateInstance: { updateInstance: { instance: { values: { urgent: true, notes: TEXT } } } },
  DeleteInstance: { deleteInstance: { deletedId: TEXT } },
  StartCase: { startCase: { case: { caseId: DIGITS, activity: { activityId: DIGITS, name: 'Submit request' } } } },
  ExecuteActivity: { executeActivity: { case: { caseId: DIGITS, activity: { name: 'Review by manager' } } } },
  ReadRule: { rule: { component: 'approval-level', version: '1.0', parameters: [{ name: 'amount' }] } },
  ExecuteRule: {
    executeRule: {
      outputs: [
        { name: 'level', value: 2 },
        { name: 'approver', value: 'director' },
      ],
    },
  },
};
const NAMES = Object.keys(ANSWERS);

const reason = whyNoBrowser();

let gateway: Awaited<ReturnType<typeof startGateway>>;
let browser: Browser;

describe.skipIf(reason !== undefined)(reason ?? 'the playground', () => {
  beforeAll(async () => {
    await buildIfOutdated();
    [gateway, browser] = await Promise.all([startGateway(), openBrowser()]);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  describe('its samples', () => {
    let page: Page;
    let leave: Visit['leave'];

    beforeAll(async () => {
      ({ page, leave } = await visit(browser, gateway.url));
    }, 30_000);

    it.each(NAMES)('run without an error: %s', async (name) => {
      await openTab(page, name);

      const { data, errors } = await run(page, name);

      expect(errors).toBeUndefined();
      expect(data).toMatchObject(ANSWERS[name] as object);
      await expect.poll(() => textOf(page, 'response')).toContain(Object.keys(data)[0]);
    });

    it('run again, in another order', async () => {
      for (const name of NAMES.toReversed()) {
        await openTab(page, name);
        expect(await run(page, name)).toMatchObject({ data: ANSWERS[name] });
      }
    }, 60_000);

    it('have asked nothing of another origin, and left no error on the console', async () => {
      expect(await leave()).toEqual([]);
    });
  });

  describe('a visit', () => {
    let page: Page;
    let leave: Visit['leave'];

    beforeEach(async () => {
      ({ page, leave } = await visit(browser, gateway.url));
    }, 30_000);

    afterEach(async () => {
      expect(await leave()).toEqual([]);
    });

    it('starts at the root, with one tab for each operation of the platform', async () => {
      expect(new URL(page.url()).pathname).toBe('/playground');
      expect(await page.title()).toBe('Caseway Playground');
      expect(await tabNames(page)).toEqual(NAMES);
      expect(await page.locator('.sample').count()).toBe(NAMES.length);
    });

    it('shows the ids that a run filled in, and gets fresh ones where runs use them up', async () => {
      await openTab(page, 'DeleteInstance');
      const first = await run(page, 'DeleteInstance');
      const shown = `"instanceId": "${first.variables['instanceId']}"`;
      await expect.poll(() => textOf(page, 'editor-tool')).toContain(shown);

      await page.reload();
      await openTab(page, 'DeleteInstance');
      expect(await tabNames(page)).toEqual(NAMES);
      const second = await run(page, 'DeleteInstance');

      expect(second.errors).toBeUndefined();
      expect(second.variables).not.toEqual(first.variables);
    });

    it('leaves an id of the reader alone', async () => {
      await openTab(page, 'ReadInstance');
      await typeVariables(page, { instanceId: '999999999' });

      const { variables, data } = await run(page, 'ReadInstance');

      expect(variables).toEqual({ instanceId: '999999999' });
      expect(data).toEqual({ instance: null });
    });

    it('brings the samples back, and keeps the tabs of the reader', async () => {
      await openTab(page, 'StartCase');
      await page.locator('.graphiql-tab-active .graphiql-tab-close').click();
      await page.getByRole('button', { name: 'New tab' }).click();
      await page.locator('.graphiql-query-editor .monaco-editor').first().click();
      await page.keyboard.insertText('query Mine { __typename }');
      await expect.poll(() => tabNames(page)).toContain('Mine');

      await page.getByRole('button', { name: 'Reset samples' }).click();

      await expect.poll(() => tabNames(page)).toEqual([...NAMES, 'Mine']);
      await openTab(page, 'StartCase');
      expect((await run(page, 'StartCase')).errors).toBeUndefined();
    });

    it('finds the schema in the documentation, and the editor at work on it in workers of its own', async () => {
      await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
      await page.getByText('InstanceConnection', { exact: true }).waitFor();

      await expect.poll(() => page.workers().length).toBeGreaterThan(0);
    });

    it('downloads the schema', async () => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Schema (SDL)' }).click(),
      ]);

      expect(download.suggestedFilename()).toBe('schema.graphql');
      const sdl = await readFile(await download.path(), 'utf8');
      expect(Object.keys(buildSchema(sdl).getQueryType()?.getFields() ?? {})).toContain('forms');
    });
  });
});
