import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import relay from 'relay-runtime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { writeFolder } from '../support/folder.ts';
import { startGateway } from '../support/gateway.ts';
import { compile, compileRelay, openPage, type Page } from './page.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/persisted-documents.md'), 'utf8');
const LIST = { where: { status: { eq: 'SUBMITTED' } }, first: 2 };

let page: Page;
beforeAll(async () => {
  page = await openPage();
  // It starts six programs.
}, 180_000);
afterAll(() => page.close());

/** Starts a gateway that runs only the documents of a manifest. */
const startTrusting = (manifest: string) =>
  startGateway({
    TYPED_FORMS: '*',
    DOCUMENTS: manifest,
    DOCUMENTS_MODE: 'enforce',
    LOG_LEVEL: 'warn',
  });

describe('the recipe for the client preset', () => {
  const start = () => startTrusting(join(page.folder, 'src/trusted/persisted-documents.json'));

  it('compiles', () => compile(page.folder));

  it('writes a manifest of all operations with __typename', async () => {
    const gateway = await start();

    const { errors } = await gateway.execute('{ forms { totalCount } }');

    expect(errors).toMatchObject([{ extensions: { code: 'DOCUMENT_NOT_TRUSTED' } }]);
    expect(gateway.logged().map(({ msg }) => msg)).toEqual(['document not trusted']);
  });

  it('Apollo Client joins pages, and knows the types of objects', async () => {
    const { url } = await start();
    const { client } = await page.load('src/trusted-apollo.ts', url);
    const { AnyFormDocument, RequestsDocument } = await page.load('src/trusted/graphql.ts', url);
    const list = { query: RequestsDocument, variables: LIST };

    const { data } = await client.query(list);
    const { endCursor } = data.purchaseRequests.pageInfo;
    await client.watchQuery(list).fetchMore({ variables: { after: endCursor } });
    const { edges } = client.readQuery(list).purchaseRequests;
    const { supplier } = edges[0].node;
    const any = await client.query({ query: AnyFormDocument, variables: { id: supplier.id } });

    expect(edges).toHaveLength(4);
    expect(any.data.node).toMatchObject({ formId: 'supplier', name: supplier.name });
    expect(client.cache.extract()).toHaveProperty([`PurchaseRequest:${edges[0].node.id}`]);
  });

  it('urql joins pages, and knows the types of objects', async () => {
    const { url } = await start();
    const { client } = await page.load('src/trusted-urql.ts', url);
    const { AnyFormDocument, RequestsDocument } = await page.load('src/trusted/graphql.ts', url);
    const warn = vi.spyOn(console, 'warn');

    const { data: first } = await client.query(RequestsDocument, LIST);
    const after = first.purchaseRequests.pageInfo.endCursor;
    const { data: joined } = await client.query(RequestsDocument, { ...LIST, after });
    const { supplier } = joined.purchaseRequests.edges[0].node;
    const { data: any } = await client.query(AnyFormDocument, { id: supplier.id });

    expect(joined.purchaseRequests.edges).toHaveLength(4);
    expect(any.node).toMatchObject({ formId: 'supplier', name: supplier.name });
    expect(warn.mock.calls).toEqual([]);
  });

  it('a connection of the package sends the documents', async () => {
    const { url } = await start();
    const { readRequests } = await page.load('src/trusted-requests.ts', url);

    const { purchaseRequests } = await readRequests();

    expect(purchaseRequests.edges).toHaveLength(20);
  });
});

it('the recipe for Relay sends the ids of its manifest', async () => {
  const [, persistConfig = ''] = /Add `"persistConfig": (\{.*?\})` to/s.exec(PAGE) ?? [];
  const config = JSON.parse(readFileSync(join(page.folder, 'relay.config.json'), 'utf8'));
  const folder = writeFolder({
    'relay.config.json': { ...config, persistConfig: JSON.parse(persistConfig) },
    'package.json': { type: 'module' },
    'trusted-relay.json': {},
  });
  mkdirSync(join(folder, 'src/__generated__'), { recursive: true });
  for (const name of ['schema.graphql', 'src/list.ts', 'src/trusted-relay.ts'])
    cpSync(join(page.folder, name), join(folder, name));
  symlinkSync(join(page.folder, 'node_modules'), join(folder, 'node_modules'));
  await compileRelay(folder);
  const gateway = await startTrusting(join(folder, 'trusted-relay.json'));
  const network = join(folder, 'src/trusted-relay.ts');
  const text = readFileSync(network, 'utf8');
  writeFileSync(network, text.replaceAll(page.gateway.url, gateway.url));
  const { environment } = await import(network);
  const { default: query } = await import(join(folder, 'src/__generated__/listQuery.graphql.ts'));

  const data = await relay.fetchQuery(environment, query, LIST).toPromise();

  expect(query.params).toMatchObject({ text: null, id: expect.any(String) });
  expect(data).toBeDefined();
  expect(gateway.logged()).toEqual([]);
});
