import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { buildSchema } from 'graphql';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import type { TestGateway } from '../../support/gateway.ts';
import { openPlayground, whyNoBrowser } from './browser.ts';
import {
  clipboard,
  copyAs,
  newTab,
  openSample,
  openTab,
  run,
  statusParts,
  storedTabs,
  tabNames,
  textOf,
  typeVariables,
  type Visit,
  visit,
} from './page-driver.ts';

const DIGITS = expect.stringMatching(/^\d+$/);
const TEXT = expect.stringMatching(/./);

/** The samples of the generic graph. Each of them succeeds with the sandbox. */
const NAMES = [
  ...[
    'Token',
    'ListForms',
    'ReadForm',
    'ListInstances',
    'ReadInstance',
    'CreateInstance',
    'CreateInstances',
  ],
  ...[
    'ReplaceInstance',
    'UpdateInstance',
    'DeleteInstance',
    'StartCase',
    'ExecuteActivity',
    'ReadRule',
    'ExecuteRule',
  ],
];

const FORMS = ['Employee', 'Expense', 'PurchaseRequest', 'Supplier'];
const TYPED = [...FORMS.map((form) => `${form}s`), ...FORMS.map((form) => `Create${form}`)];
/** They run until they are stopped. */
const LIVE = [...FORMS.map((form) => `Watch${form}s`), 'WatchInstances'];
const FIRST_TABS = ['PurchaseRequests', 'CreateEmployee', 'ListInstances'];

const reason = whyNoBrowser();

let gateway: TestGateway;
let browser: Browser;
let close: () => Promise<void>;

describe.skipIf(reason !== undefined)(reason ?? 'the playground', () => {
  beforeAll(async () => {
    ({ gateway, browser, close } = await openPlayground());
  });
  afterAll(() => close?.());

  describe('the playground’s samples', () => {
    let page: Page;
    let leave: Visit['leave'];

    beforeAll(async () => {
      ({ page, leave } = await visit(browser, gateway.url));
    });
    afterAll(async () => {
      expect(await leave()).toEqual([]);
    });

    it.each(NAMES)('run without an error: %s', async (name) => {
      await openSample(page, name);

      const { data, errors } = await run(page, name);

      expect(errors).toBeUndefined();
      expect(Object.values(data)).not.toContain(null);
      await expect.poll(() => textOf(page, 'response')).toContain(Object.keys(data)[0]);
    });

    it.each(TYPED)(
      'run without an error, generated from the platform’s forms: %s',
      async (name) => {
        await openSample(page, name);

        const { data, errors } = await run(page, name);

        expect(errors).toBeUndefined();
        const page5 = { totalCount: expect.any(Number), nodes: { length: 5 } };
        const created = { instance: { instanceId: DIGITS } };
        expect(Object.values(data)).toMatchObject([name.startsWith('Create') ? created : page5]);
      },
    );

    it('come in compressed files', async () => {
      const [, script = ''] =
        /src="([^"]+\.js)"/.exec(await (await fetch(`${gateway.url}/playground`)).text()) ?? [];
      const { headers } = await fetch(new URL(script, `${gateway.url}/playground`));

      expect(headers.get('content-encoding')).toMatch(/^(br|gzip)$/);
      expect(headers.get('cache-control')).toContain('immutable');
    });
  });

  describe('a page of the playground', () => {
    let page: Page;
    let leave: Visit['leave'];

    beforeAll(async () => {
      ({ page, leave } = await visit(browser, gateway.url));
    });
    // A page takes seconds to load, so its tests share it: each leaves its tabs and opens the ones
    // it needs.
    beforeEach(async () => {
      await page.keyboard.press('Escape');
      const shown = page.getByRole('button', { name: 'Show Samples' });
      if ((await shown.count()) > 0) await shown.click();
      await page.getByRole('button', { name: 'Reset tabs' }).click();
      await openTab(page, 'PurchaseRequests');
    });
    afterAll(async () => {
      expect(await leave()).toEqual([]);
    });

    it('lists the samples in groups, typed ones first, and filters them', async () => {
      const groups = () => page.locator('.samples-group').allTextContents();
      expect((await groups()).slice(0, 2)).toEqual(['Typed queries', 'Typed mutations']);
      expect(await page.locator('.sample').count()).toBe(TYPED.length + NAMES.length + LIVE.length);

      await page.getByRole('searchbox', { name: 'Filter samples' }).fill('purchase create');

      expect(await page.locator('.sample-name').allTextContents()).toEqual([
        'CreatePurchaseRequest',
      ]);
      expect(await groups()).toEqual(['Typed mutations']);
      await page.getByRole('searchbox', { name: 'Filter samples' }).fill('nothing like it');
      expect(await page.locator('.samples').innerText()).toContain('No sample matches.');
      await page.getByRole('searchbox', { name: 'Filter samples' }).fill('');
    });

    it('opens a sample that is chosen while the editors load', async () => {
      const early = await browser.newPage();
      await early.goto(`${gateway.url}/playground`);

      await openSample(early, 'ListForms');

      await expect.poll(() => tabNames(early)).toEqual([...FIRST_TABS, 'ListForms']);
      await early.close();
    });

    it('shows a response as a table, and copies it as CSV', async () => {
      await run(page, 'PurchaseRequests');
      await page.getByRole('button', { name: 'Table' }).click();
      const dialog = page.getByRole('dialog', { name: 'Table' });
      await dialog.getByText('purchaseRequests.nodes: 5 rows').waitFor();
      const heads = await dialog.getByRole('columnheader').allInnerTexts();
      await dialog.getByRole('button', { name: 'Copy as CSV' }).click();
      await dialog.getByText('CSV copied.').waitFor();

      expect(heads).toContain('supplier.name');
      expect(await dialog.getByRole('row').count()).toBe(6);
      const lines = (await clipboard(page)).split('\r\n');
      expect(lines[0]).toBe(heads.join());
      expect(lines).toHaveLength(7);
    });

    it('shows the headers of a response', async () => {
      await run(page, 'PurchaseRequests');

      await page.getByRole('button', { name: '200' }).click();

      const headers = page.getByRole('dialog', { name: 'Response headers' });
      expect(await headers.getByRole('row').allInnerTexts()).toEqual(
        expect.arrayContaining([expect.stringMatching(/^x-request-id\t\S{8,}$/)]),
      );
    });

    it('leads to the documentation, which the gateway serves itself', async () => {
      const [docs] = await Promise.all([
        page.waitForEvent('popup'),
        page.getByRole('link', { name: 'Guide' }).click(),
      ]);

      await docs.getByRole('heading', { name: 'Documentation', exact: true }).waitFor();
      await docs.getByRole('link', { name: 'Troubleshooting' }).first().click();
      expect(new URL(docs.url()).hash).toBe('#troubleshooting');
      await docs.getByRole('searchbox').fill('presigned');
      await docs.getByText('No sections found.').waitFor();
      await docs.getByRole('searchbox').fill('requestUpload');
      expect(await docs.locator('#results small').first().innerText()).toContain('requestUpload');
      await docs.getByRole('searchbox').press('Enter');
      expect(new URL(docs.url()).hash).toBe('#questions--files-and-uploads');
      await docs.getByRole('searchbox').fill('idempotency key');
      await docs.getByRole('link', { name: 'Idempotency keys: A repeat' }).click();
      expect(new URL(docs.url()).hash).toBe('#idempotency--a-repeat');
      expect(
        await docs.evaluate(
          `[...document.querySelectorAll('a[href^="#"]')].filter((a) => !document.getElementById(a.hash.slice(1))).length`,
        ),
      ).toBe(0);
      await docs.getByRole('link', { name: 'Playground' }).first().click();
      await docs.locator('.graphiql-query-editor').waitFor();
      await docs.close();
    });

    it('shows the plan of a mutation without running it', async () => {
      const count = async () => (await gateway.execute('{ employees { totalCount } }')).data;
      const before = await count();
      await openTab(page, 'CreateEmployee');

      await page.getByRole('button', { name: 'Plan' }).click();

      const plan = page.getByRole('dialog', { name: 'Plan' });
      await plan.getByText('At most 2 upstream calls;').waitFor();
      expect(await plan.getByRole('row').allInnerTexts()).toEqual([
        'Field\tOperation\tCalls\tObjects',
        'createEmployee\tcreateFormIntance\t1\t1',
        'createEmployee.instance.name\tgetFormIntance\t1\t1',
      ]);
      await page.keyboard.press('Escape');
      await plan.waitFor({ state: 'hidden' });
      expect(await count()).toEqual(before);
    });

    it('shows the calls of a response, and that the next one comes from the cache', async () => {
      await newTab(
        page,
        'query Mine { rule(component: "discount-rate-eu", version: "2.1") { name } }',
      );
      await page.getByRole('tab', { name: 'Mine' }).waitFor();
      await run(page, 'Mine');
      const [status, calls, ...rest] = await statusParts(page);

      expect([status, calls]).toEqual(['200', '1 upstream call']);
      expect(rest).toEqual([
        expect.stringMatching(/^\d+ ms$/),
        expect.stringMatching(/^[\d.]+ k?B$/),
      ]);
      await run(page, 'Mine');
      expect(await statusParts(page)).toEqual(
        expect.arrayContaining(['0 upstream calls', '1 from cache']),
      );
      expect(await textOf(page, 'response')).not.toContain('extensions');
    });

    it('explains the next step where there is no response and where there is no query', async () => {
      const hint = page.locator('.empty-response');
      await openSample(page, 'ListForms');
      expect(await hint.innerText()).toMatch(/Run the query with \S+/);
      await run(page, 'ListForms');
      expect(await hint.count()).toBe(0);

      await newTab(page, ' ');

      await expect.poll(() => hint.innerText()).toContain('Choose a sample');
    });

    it('begins a new tab with a query that has data, and Reset tabs closes it if it is unchanged', async () => {
      const before = await tabNames(page);
      await page.getByRole('button', { name: 'New tab' }).click();
      await expect.poll(() => textOf(page, 'query-editor')).toMatch(/^\{\s+purchaseRequests\(/);

      await page.getByRole('button', { name: /^Execute query/ }).click();

      await expect.poll(() => textOf(page, 'response')).toMatch(/"instanceId": "\d+"/);
      await page.getByRole('button', { name: 'Reset tabs' }).click();
      await expect.poll(() => tabNames(page)).toEqual(before);
    });

    it('builds a query from fields that are ticked', async () => {
      await newTab(page, ' ');
      await page.getByRole('button', { name: 'Show Query Builder' }).click();
      const builder = page.getByRole('region', { name: 'Query Builder' });
      const query = async () => (await textOf(page, 'query-editor')).replaceAll(/\s+/g, ' ');
      await builder.getByLabel('instances', { exact: true }).check();
      await builder.getByLabel('formId:', { exact: true }).check();
      await builder.getByRole('textbox', { name: 'formId' }).fill('supplier');
      await builder.getByLabel('orderBy:', { exact: true }).check();
      await builder.getByRole('textbox', { name: 'field' }).fill('name');
      await builder.getByLabel('totalCount', { exact: true }).uncheck();
      await builder.getByLabel('nodes', { exact: true }).check();
      await builder.getByText('Fields of one type').click();
      await builder.getByLabel('… on Supplier', { exact: true }).check();
      await builder.getByRole('searchbox', { name: 'Filter types' }).fill('REQUEST purchase');
      const types = await builder.locator('.builder-types .builder-tick').allInnerTexts();

      expect(types.filter((name) => name.startsWith('…'))).toEqual([
        '… on PurchaseRequest',
        '… on Supplier',
      ]);
      await expect
        .poll(query)
        .toContain(
          'instances(formId: "supplier", orderBy: [{field: "name"}]) { nodes { id ... on Supplier { id } } }',
        );
      // The list that is typed is read, and the focus stays where it is.
      await openTab(page, 'PurchaseRequests');
      const order = builder
        .getByRole('listitem')
        .filter({ has: page.getByLabel('orderBy:', { exact: true }) });
      expect(await order.last().getByLabel('field', { exact: true }).inputValue()).toBe('TITLE');
      expect(await page.evaluate('document.activeElement.closest(".builder") === null')).toBe(true);
    });

    it('filters the fields of the builder, and moves a value to the variables', async () => {
      await page.getByRole('button', { name: 'Show Query Builder' }).click();
      const builder = page.getByRole('region', { name: 'Query Builder' });
      const query = async () => (await textOf(page, 'query-editor')).replaceAll(/\s+/g, ' ');

      await builder.getByRole('searchbox', { name: 'Filter fields' }).fill('Supplier');
      expect(await builder.getByLabel('suppliers', { exact: true }).count()).toBe(1);
      expect(await builder.getByLabel('forms', { exact: true }).count()).toBe(0);
      await builder.getByRole('button', { name: 'Variable for first' }).click();
      await builder.getByRole('button', { name: 'Variable for direction' }).click();

      await expect
        .poll(query)
        .toContain('PurchaseRequests($first: Int, $direction: SortDirection!');
      await expect
        .poll(() => textOf(page, 'editor-tool'))
        .toMatch(/"first": 5,\s+"direction": "ASC"/);
      expect(await run(page, 'PurchaseRequests')).toMatchObject({
        variables: { first: 5, direction: 'ASC' },
        data: { purchaseRequests: { nodes: { length: 5 } } },
      });
      await builder.getByRole('button', { name: 'Variable for first' }).click();
      await expect
        .poll(query)
        .toMatch(/PurchaseRequests ?\(\$direction: SortDirection!.*\).+ first: 10\)/);
    });

    it('copies a request as a cURL command', async () => {
      await openSample(page, 'ReadInstance');
      await typeVariables(page, { instanceId: "it's" });

      const command = await copyAs(page, 'cURL');

      const { stdout } = await promisify(execFile)('sh', ['-c', command]);
      expect(JSON.parse(stdout)).toMatchObject({ errors: [{ path: ['instance'] }] });
    });

    it('leaves an id that the user entered alone', async () => {
      await openSample(page, 'ReadInstance');
      await typeVariables(page, { instanceId: '999999999' });

      const { variables, data } = await run(page, 'ReadInstance');

      expect(variables).toEqual({ instanceId: '999999999' });
      expect(data).toEqual({ instance: null });
    });

    it('shows the title of a field in its documentation, and runs the editor’s schema work in workers', async () => {
      await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
      await page.getByRole('combobox').fill('neededBy');
      await page
        .getByRole('option', { name: /PurchaseRequest\.neededBy/ })
        .first()
        .click();

      await page.locator('.graphiql-doc-explorer-content', { hasText: 'Needed by' }).waitFor();
      await expect.poll(() => page.workers().length).toBeGreaterThan(0);
    });

    it('downloads the schema', async () => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Schema' }).click(),
      ]);

      expect(download.suggestedFilename()).toBe('schema.graphql');
      const sdl = await readFile(await download.path(), 'utf8');
      expect(Object.keys(buildSchema(sdl).getQueryType()?.getFields() ?? {})).toContain('forms');
    });
  });

  describe('the playground', () => {
    let page: Page;
    let leave: Visit['leave'];

    beforeEach(async () => {
      ({ page, leave } = await visit(browser, gateway.url));
    });
    afterEach(async () => {
      expect(await leave()).toEqual([]);
    });

    it('opens at the root with a typed query, a typed mutation and the generic list', async () => {
      expect(new URL(page.url()).pathname).toBe('/playground');
      expect(await page.title()).toBe('Caseway Playground');
      expect(await tabNames(page)).toEqual(FIRST_TABS);
      const { data } = await run(page, 'PurchaseRequests');
      expect(data).toMatchObject({
        purchaseRequests: {
          nodes: expect.arrayContaining([
            expect.objectContaining({ supplier: expect.objectContaining({ name: TEXT }) }),
          ]),
        },
      });
      expect(await textOf(page, 'query-editor')).toContain('status');
      // The list, and one call for each form that it refers to.
      expect(await statusParts(page)).toContain('3 upstream calls');
    });

    it('copies a link that opens the query in a new tab without running it', async () => {
      await openSample(page, 'ReadInstance');
      await typeVariables(page, { instanceId: '4' });
      const query = await textOf(page, 'query-editor');
      await page.getByRole('button', { name: 'Copy a link to this query' }).click();
      await page.getByText('Link copied.').waitFor({ state: 'attached' });
      const link = await clipboard(page);

      expect(link).toMatch(new RegExp(`^${gateway.url}/playground#query=`));
      const expectLinked = async (linked: Page, count: number) => {
        const linkedTabs = async () =>
          (await tabNames(linked)).filter((name) => name === 'ReadInstance');
        await expect.poll(linkedTabs).toHaveLength(count);
        await expect.poll(() => textOf(linked, 'query-editor')).toBe(query);
        await expect.poll(() => textOf(linked, 'editor-tool')).toContain('{"instanceId":"4"}');
        expect(await textOf(linked, 'response')).toBe('');
        await expect.poll(() => new URL(linked.url()).hash).toBe('');
      };
      const other = await visit(browser, link);
      await expectLinked(other.page, 1);
      expect(await other.leave()).toEqual([]);
      await page.evaluate(`location.assign(${JSON.stringify(link)})`);
      await expectLinked(page, 2);
    });

    it('shows the ids that a run inserted, and gets fresh ones when runs consume them', async () => {
      await openSample(page, 'DeleteInstance');
      const first = await run(page, 'DeleteInstance');
      const shown = `"instanceId": "${first.variables['instanceId']}"`;
      await expect.poll(() => textOf(page, 'editor-tool')).toContain(shown);
      await expect
        .poll(() => storedTabs(page))
        .toContainEqual(
          expect.objectContaining({
            title: 'DeleteInstance',
            variables: expect.stringContaining(shown),
          }),
        );

      await page.reload();
      await openTab(page, 'DeleteInstance');
      expect(await tabNames(page)).toEqual([...FIRST_TABS, 'DeleteInstance']);
      const second = await run(page, 'DeleteInstance');

      expect(second.errors).toBeUndefined();
      expect(second.variables).not.toEqual(first.variables);
    });

    it('restores its own first tabs, and keeps the user’s', async () => {
      await openTab(page, 'CreateEmployee');
      await page.locator('.graphiql-tab-active .graphiql-tab-close').click();
      await newTab(page, 'query Mine { __typename }');
      await expect.poll(() => tabNames(page)).toContain('Mine');

      await page.getByRole('button', { name: 'Reset tabs' }).click();

      await expect.poll(() => tabNames(page)).toEqual([...FIRST_TABS, 'Mine']);
      await openTab(page, 'CreateEmployee');
      expect((await run(page, 'CreateEmployee')).errors).toBeUndefined();
    });
  });
});
