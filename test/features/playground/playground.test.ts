import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { buildSchema } from 'graphql';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import {
  clickButton,
  clipboard,
  copyAs,
  executeButton,
  newTab,
  openPage,
  openSample,
  openTab,
  run,
  sharePlayground,
  statusParts,
  tabNames,
  textOf,
  typeVariables,
  visit,
  whyNoBrowser,
} from './browser.ts';

/** The samples of the generic graph. Each of them succeeds with the sandbox. */
const NAMES = [
  'Token',
  'ListForms',
  'ReadForm',
  'ListInstances',
  'ReadInstance',
  'CreateInstance',
  'CreateInstances',
  'ReplaceInstance',
  'UpdateInstance',
  'DeleteInstance',
  'StartCase',
  'ExecuteActivity',
  'ReadRule',
  'ExecuteRule',
];
const FORMS = ['Employee', 'Expense', 'PurchaseRequest', 'Supplier'];
const TYPED = FORMS.flatMap((form) => [`${form}s`, `Create${form}`]);
/** They run until they are stopped. */
const LIVE = [...FORMS.map((form) => `Watch${form}s`), 'WatchInstances'];
const FIRST_TABS = ['PurchaseRequests', 'CreateEmployee', 'ListInstances'];

/** The most that is loaded before the page shows its samples. */
const FIRST_LOAD = { bytes: 600_000, requests: 12 };

const reason = whyNoBrowser();

describe.skipIf(reason !== undefined)(reason ?? 'the playground', () => {
  const playground = sharePlayground();
  let page: Page;
  let leave: () => Promise<void>;

  beforeAll(async () => {
    ({ page, leave } = await visit(playground.browser, playground.gateway.url));
  });
  afterAll(() => leave?.());

  const open = () => openPage(playground.browser, playground.gateway.url);

  it.each(NAMES)('has a sample that runs without an error: %s', async (name) => {
    await openSample(page, name);

    const { data, errors } = await run(page, name);

    expect(errors).toBeUndefined();
    expect(Object.values(data)).not.toContain(null);
    await expect.poll(() => textOf(page, 'response')).toContain(Object.keys(data)[0]);
  });

  it.each(TYPED)('has a sample of the platform’s forms that runs: %s', async (name) => {
    await openSample(page, name);

    const { data, errors } = await run(page, name);

    expect(errors).toBeUndefined();
    const page5 = { totalCount: expect.any(Number), nodes: { length: 5 } };
    const created = { instance: { instanceId: expect.stringMatching(/^\d+$/) } };
    expect(Object.values(data)).toMatchObject([name.startsWith('Create') ? created : page5]);
  });

  it('comes in compressed files', async () => {
    const { url } = playground.gateway;
    const html = await (await fetch(`${url}/playground`)).text();
    const [, script = ''] = /src="([^"]+\.js)"/.exec(html) ?? [];
    const { headers } = await fetch(new URL(script, `${url}/playground`));

    expect(headers.get('content-encoding')).toMatch(/^(br|gzip)$/);
    expect(headers.get('cache-control')).toContain('immutable');
  });

  describe('a page', () => {
    // A page takes seconds to load, so its tests share it: each leaves its tabs and opens the ones
    // it needs.
    beforeAll(async () => {
      await leave();
      ({ page, leave } = await visit(playground.browser, playground.gateway.url));
    });
    beforeEach(async () => {
      await page.keyboard.press('Escape');
      const samples = page.getByRole('button', { name: 'Show Samples' });
      if ((await samples.count()) > 0) await samples.click();
      await clickButton(page, 'Reset tabs');
      await openTab(page, 'PurchaseRequests');
    });

    it('lists the samples in groups, typed ones first, and filters them', async () => {
      const groups = () => page.locator('.samples-group').allTextContents();
      const search = page.getByRole('searchbox', { name: 'Filter samples' });
      expect((await groups()).slice(0, 2)).toEqual(['Typed queries', 'Typed mutations']);
      expect(await page.locator('.sample').count()).toBe(TYPED.length + NAMES.length + LIVE.length);

      await search.fill('purchase create');

      expect(await page.locator('.sample-name').allTextContents()).toEqual([
        'CreatePurchaseRequest',
      ]);
      expect(await groups()).toEqual(['Typed mutations']);
      await search.fill('nothing like it');
      expect(await page.locator('.samples').innerText()).toContain('No sample matches.');
      await search.fill('');
    });

    it('opens a sample that is chosen while the editors load', async () => {
      const early = await playground.browser.newPage();
      await early.goto(`${playground.gateway.url}/playground`);

      await openSample(early, 'ListForms');

      await expect.poll(() => tabNames(early)).toEqual([...FIRST_TABS, 'ListForms']);
      await early.close();
    });

    it('shows a response as a table, and copies it as CSV', async () => {
      await run(page, 'PurchaseRequests');
      await clickButton(page, 'Table');
      const dialog = page.getByRole('dialog', { name: 'Table' });
      await dialog.getByText('purchaseRequests.nodes: 5 rows').waitFor();
      const heads = await dialog.getByRole('columnheader').allInnerTexts();
      await clickButton(page, 'Copy as CSV');
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
      expect(await headers.getByRole('row').allInnerTexts()).toContainEqual(
        expect.stringMatching(/^x-request-id\t\S{8,}$/),
      );
    });

    it('leads to the documentation, which the gateway serves itself', async () => {
      const [docs] = await Promise.all([
        page.waitForEvent('popup'),
        page.getByRole('link', { name: 'Guide' }).click(),
      ]);
      const search = docs.getByRole('searchbox');
      const hash = () => new URL(docs.url()).hash;

      await docs.getByRole('heading', { name: 'Documentation', exact: true }).waitFor();
      await docs.getByRole('link', { name: 'Troubleshooting' }).first().click();
      expect(hash()).toBe('#troubleshooting');
      await search.fill('presigned');
      await docs.getByText('No sections found.').waitFor();
      await search.fill('requestUpload');
      expect(await docs.locator('#results small').first().innerText()).toContain('requestUpload');
      await search.press('Enter');
      expect(hash()).toBe('#questions--files-and-uploads');
      await search.fill('idempotency key');
      await docs.getByRole('link', { name: 'Idempotency keys: A repeat' }).click();
      expect(hash()).toBe('#idempotency--a-repeat');
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
      const count = () => playground.gateway.dataOf('{ employees { totalCount } }');
      const before = await count();
      await openTab(page, 'CreateEmployee');

      await clickButton(page, 'Plan');

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

      expect(await statusParts(page)).toEqual([
        '200',
        '1 upstream call',
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
      await clickButton(page, 'New tab');
      await expect.poll(() => textOf(page, 'query-editor')).toMatch(/^\{\s+purchaseRequests\(/);

      await executeButton(page).click();

      await expect.poll(() => textOf(page, 'response')).toMatch(/"instanceId": "\d+"/);
      await clickButton(page, 'Reset tabs');
      await expect.poll(() => tabNames(page)).toEqual(before);
    });

    it('builds a query from fields that are ticked', async () => {
      await newTab(page, ' ');
      const builder = await openBuilder();
      const check = (name: string) => builder.getByLabel(name, { exact: true }).check();
      const fill = (role: 'textbox' | 'searchbox', name: string, text: string) =>
        builder.getByRole(role, { name }).fill(text);
      await check('instances');
      await check('formId:');
      await fill('textbox', 'formId', 'supplier');
      await check('orderBy:');
      await fill('textbox', 'field', 'name');
      await builder.getByLabel('totalCount', { exact: true }).uncheck();
      await check('nodes');
      await builder.getByText('Fields of one type').click();
      await check('… on Supplier');
      await fill('searchbox', 'Filter types', 'REQUEST purchase');
      const types = await builder.locator('.builder-types .builder-tick').allInnerTexts();

      expect(types.filter((name) => name.startsWith('…'))).toEqual([
        '… on PurchaseRequest',
        '… on Supplier',
      ]);
      await expect
        .poll(queryOnOneLine)
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
      const builder = await openBuilder();
      const moveToVariables = (name: string) =>
        builder.getByRole('button', { name: `Variable for ${name}` }).click();

      await builder.getByRole('searchbox', { name: 'Filter fields' }).fill('Supplier');
      expect(await builder.getByLabel('suppliers', { exact: true }).count()).toBe(1);
      expect(await builder.getByLabel('forms', { exact: true }).count()).toBe(0);
      await moveToVariables('first');
      await moveToVariables('direction');

      await expect
        .poll(queryOnOneLine)
        .toContain('PurchaseRequests($first: Int, $direction: SortDirection!');
      await expect
        .poll(() => textOf(page, 'editor-tool'))
        .toMatch(/"first": 5,\s+"direction": "ASC"/);
      expect(await run(page, 'PurchaseRequests')).toMatchObject({
        variables: { first: 5, direction: 'ASC' },
        data: { purchaseRequests: { nodes: { length: 5 } } },
      });
      await moveToVariables('first');
      await expect
        .poll(queryOnOneLine)
        .toMatch(/PurchaseRequests ?\(\$direction: SortDirection!.*\).+ first: 10\)/);
    });

    async function openBuilder() {
      await clickButton(page, 'Show Query Builder');
      return page.getByRole('region', { name: 'Query Builder' });
    }

    const queryOnOneLine = async () => (await textOf(page, 'query-editor')).replaceAll(/\s+/g, ' ');

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

    it('has the types by form, with the platform’s labels', async () => {
      await clickButton(page, 'Show Documentation Explorer');
      const panel = page.getByRole('region', { name: 'Documentation Explorer' });
      const groups = await panel.locator('summary').allInnerTexts();
      await panel.getByText('Purchase request', { exact: true }).click();
      const [first] = await panel
        .locator('details[open] li:visible >> text=Purchase')
        .allInnerTexts();
      await panel.getByRole('link', { name: 'PurchaseRequestStatus', exact: true }).click();
      await panel.getByText('"submitted"').waitFor();
      await panel.getByRole('link', { name: 'Go back to Docs' }).click();

      expect(groups).toEqual([
        'Operations',
        'Employee',
        'Expense',
        'Purchase request',
        'Supplier',
        'All forms, cases and rules',
      ]);
      expect(first).toBe('PurchaseRequest');
      expect(await page.getByRole('link', { name: 'Guide' }).count()).toBe(1);
      expect(await page.getByText('Docs', { exact: true }).count()).toBe(0);
    });

    it('finds the form of a word before its payloads and inputs', async () => {
      await clickButton(page, 'Show Documentation Explorer');
      const search = page.getByRole('combobox');
      const found = () => page.getByRole('option').allInnerTexts();

      await search.fill('supplier');
      await expect.poll(async () => (await found())[0]).toBe('Supplier');
      await search.fill('amount');
      await expect.poll(async () => (await found())[0]).toBe('Expense.amount');
      const amounts = await found();
      expect(amounts[1]).toBe('PurchaseRequest.amount');
      expect(amounts).toContainEqual(expect.stringContaining('Input.amount'));
    });

    it('shows the title of a field in its documentation, and runs the editor’s schema work in workers', async () => {
      await clickButton(page, 'Show Documentation Explorer');
      await page.getByRole('combobox').fill('neededBy');
      await page
        .getByRole('option', { name: /PurchaseRequest\.neededBy/ })
        .first()
        .click();

      await page.locator('.graphiql-doc-explorer-content', { hasText: 'Needed by' }).waitFor();
      await expect.poll(() => page.workers().length).toBeGreaterThan(0);
    });

    it.each(['a click', 'the keyboard'])('opens the record of an id by %s', async (way) => {
      await run(page, 'PurchaseRequests');
      const link = page.locator('.record-link').first();
      await link.waitFor();
      if (way === 'a click') {
        await link.click({ position: { x: 3, y: 5 } });
      } else {
        await page.locator('.graphiql-response textarea').focus();
        await page.keyboard.press('ControlOrMeta+Home');
        while (!(await textOf(page, 'response')).includes('"__typename"')) {
          await page.keyboard.press('ArrowDown');
          await page.keyboard.press('Enter');
        }
      }

      await expect
        .poll(() => textOf(page, 'response'))
        .toContain('"__typename": "PurchaseRequest"');

      expect(await tabNames(page)).toContain('Record');
      expect(await textOf(page, 'response')).toContain('"values"');
    });

    it.each([
      [
        'variables',
        'mutation Wrong($values: UpdateExpenseValues!) { updateExpense(input: { instanceId: 1, values: $values }) { __typename } }',
        { values: { description: 'Taxi', spentOn: '2026-06-01', amount: -5 } },
      ],
      [
        'query',
        'mutation Wrong { updateExpense(input: { instanceId: 1, values: { amount: -5 } }) { __typename } }',
        undefined,
      ],
    ])('goes from a violation to the wrong value in the %s', async (_place, query, variables) => {
      await newTab(page, query);
      if (variables) await typeVariables(page, variables);
      await run(page, 'Wrong');

      await page.getByRole('button', { name: /^amount must be/ }).click();

      await page.keyboard.press('Shift+End');
      await page.keyboard.press('ControlOrMeta+C');
      expect(await clipboard(page)).toMatch(/^-5/);
    });

    it('downloads the schema', async () => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Schema' }).click(),
      ]);

      expect(download.suggestedFilename()).toBe('schema.graphql');
      const sdl = await readFile(await download.path(), 'utf8');
      expect(buildSchema(sdl).getQueryType()?.getFields()).toHaveProperty('forms');
    });
  });

  it('shows the samples before the editor has loaded', async () => {
    const { url } = playground.gateway;
    const context = await playground.browser.newContext();
    const early = await context.newPage();
    const html = await (await fetch(`${url}/playground`)).text();
    const firstScripts = [...html.matchAll(/(?:src|modulepreload" href)="([^"]+\.js)"/g)];
    const isFirst = (address: string) =>
      firstScripts.some(([, name = '']) => address.endsWith(name));
    // The other scripts wait for ever.
    await context.route(
      ({ pathname, href }) => pathname.endsWith('.js') && !isFirst(href),
      () => undefined,
    );
    const loaded: Promise<number>[] = [];
    early.on('requestfinished', (request) => {
      if (request.url().startsWith('data:')) return;
      loaded.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });

    await early.goto(`${url}/playground`);
    await early.locator('.sample').first().waitFor();

    const sizes = await Promise.all(loaded);
    expect(sizes.length).toBeLessThanOrEqual(FIRST_LOAD.requests);
    expect(sizes.reduce((sum, bytes) => sum + bytes)).toBeLessThanOrEqual(FIRST_LOAD.bytes);
    expect(sizes.length).toBeGreaterThan(firstScripts.length);
    await context.close();
  });

  it('opens at the root with a typed query, a typed mutation and the generic list', async () => {
    const page = await open();

    expect(new URL(page.url()).pathname).toBe('/playground');
    expect(await page.title()).toBe('Caseway Playground');
    expect(await tabNames(page)).toEqual(FIRST_TABS);
    const { data } = await run(page, 'PurchaseRequests');
    const supplier = { name: expect.stringMatching(/./) };
    expect(data).toMatchObject({
      purchaseRequests: {
        nodes: expect.arrayContaining([
          expect.objectContaining({ supplier: expect.objectContaining(supplier) }),
        ]),
      },
    });
    expect(await textOf(page, 'query-editor')).toContain('status');
    // The list, and one call for each form that it refers to.
    expect(await statusParts(page)).toContain('3 upstream calls');
  });

  it('copies a link that opens the query in a new tab without running it', async () => {
    const page = await open();
    await openSample(page, 'ReadInstance');
    await typeVariables(page, { instanceId: '4' });
    const query = await textOf(page, 'query-editor');
    await clickButton(page, 'Copy a link to this query');
    await page.getByText('Link copied.').waitFor({ state: 'attached' });
    const link = await clipboard(page);

    expect(link).toMatch(new RegExp(`^${playground.gateway.url}/playground#query=`));
    const expectLinked = async (linked: Page, count: number) => {
      const linkedTabs = async () =>
        (await tabNames(linked)).filter((name) => name === 'ReadInstance');
      await expect.poll(linkedTabs).toHaveLength(count);
      await expect.poll(() => textOf(linked, 'query-editor')).toBe(query);
      await expect.poll(() => textOf(linked, 'editor-tool')).toContain('{"instanceId":"4"}');
      expect(await textOf(linked, 'response')).toBe('');
      await expect.poll(() => new URL(linked.url()).hash).toBe('');
    };
    await expectLinked(await openPage(playground.browser, link), 1);
    await page.evaluate(`location.assign(${JSON.stringify(link)})`);
    await expectLinked(page, 2);
  });

  it('shows the ids that a run inserted, and gets fresh ones when runs consume them', async () => {
    const page = await open();
    await openSample(page, 'DeleteInstance');
    const first = await run(page, 'DeleteInstance');
    const shown = `"instanceId": "${first.variables['instanceId']}"`;
    await expect.poll(() => textOf(page, 'editor-tool')).toContain(shown);
    // GraphiQL stores the tabs that a reload brings back a moment after each change.
    const storedTabs = async () =>
      JSON.parse(await page.evaluate(`localStorage.getItem('caseway:graphiql:tabState') ?? '{}'`))
        .tabs;
    await expect.poll(storedTabs).toContainEqual(
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
    const page = await open();
    await openTab(page, 'CreateEmployee');
    await page.locator('.graphiql-tab-active .graphiql-tab-close').click();
    await newTab(page, 'query Mine { __typename }');
    await expect.poll(() => tabNames(page)).toContain('Mine');

    await clickButton(page, 'Reset tabs');

    await expect.poll(() => tabNames(page)).toEqual([...FIRST_TABS, 'Mine']);
    await openTab(page, 'CreateEmployee');
    expect((await run(page, 'CreateEmployee')).errors).toBeUndefined();
  });
});
