import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import relay from 'relay-runtime';
import { describe, expect, inject, it, vi } from 'vitest';

import { writeApplication } from '../support/application.ts';
import { startGateway } from '../support/gateway.ts';
import { compileRelay, openPage } from './page.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/persisted-documents.md'), 'utf8');
const LIST = { where: { status: { eq: 'SUBMITTED' } }, first: 2 };

/** Starts a gateway that runs only the documents of a manifest. */
const startTrusting = (manifest: string) =>
  startGateway({
    TYPED_FORMS: '*',
    DOCUMENTS: manifest,
    DOCUMENTS_MODE: 'enforce',
    LOG_LEVEL: 'warn',
  });

describe('the recipe for the client preset', () => {
  /** Opens the client with a gateway that runs only its documents, and loads the documents. */
  async function start() {
    const manifest = join(inject('page'), 'src/trusted/persisted-documents.json');
    const gateway = await startTrusting(manifest);
    const load = openPage(gateway.url);
    return { gateway, load, ...(await load('src/trusted/graphql.ts')) };
  }

  it('writes a manifest of all operations with __typename', async () => {
    const { gateway } = await start();

    const { errors } = await gateway.execute('{ forms { totalCount } }');

    expect(errors).toMatchObject([{ extensions: { code: 'DOCUMENT_NOT_TRUSTED' } }]);
    expect(gateway.logged().map(({ msg }) => msg)).toEqual(['document not trusted']);
  });

  it.each([
    ['Apollo Client', 'src/trusted-apollo.ts'],
    ['urql', 'src/trusted-urql.ts'],
  ])('%s sends its documents, and knows the types of objects', async (_name, file) => {
    const { load, AnyFormDocument, RequestsDocument } = await start();
    const { client } = await load(file);
    const warn = vi.spyOn(console, 'warn');
    // Apollo Client has one argument.
    const run = (query: object, variables: object) =>
      client.query(file.includes('urql') ? query : { query, variables }, variables);

    const { data } = await run(RequestsDocument, LIST);
    const { supplier } = data.purchaseRequests.edges[0].node;
    const { data: any } = await run(AnyFormDocument, { id: supplier.id });

    expect(any.node).toMatchObject({ formId: 'supplier', name: supplier.name });
    expect(warn.mock.calls).toEqual([]);
  });

  it('a connection of the package sends the documents', async () => {
    const { load } = await start();
    const { readRequests } = await load('src/trusted-requests.ts');

    const { purchaseRequests } = await readRequests();

    expect(purchaseRequests.edges).toHaveLength(20);
  });
});

it('the recipe for Relay sends the ids of its manifest', async () => {
  const [, persistConfig = ''] = /Add `"persistConfig": (\{.*?\})` to/s.exec(PAGE) ?? [];
  const config = JSON.parse(readFileSync(join(inject('page'), 'relay.config.json'), 'utf8'));
  const folder = writeApplication({
    'relay.config.json': { ...config, persistConfig: JSON.parse(persistConfig) },
    'package.json': { type: 'module' },
    'trusted-relay.json': {},
    'src/__generated__/.gitkeep': '',
  });
  for (const name of ['schema.graphql', 'src/list.ts', 'src/trusted-relay.ts'])
    cpSync(join(inject('page'), name), join(folder, name));
  await compileRelay(folder);
  const gateway = await startTrusting(join(folder, 'trusted-relay.json'));
  const network = join(folder, 'src/trusted-relay.ts');
  const text = readFileSync(network, 'utf8');
  writeFileSync(network, text.replace('http://127.0.0.1:4000', gateway.url));
  const { environment } = await import(network);
  const { default: query } = await import(join(folder, 'src/__generated__/listQuery.graphql.ts'));

  const data = await relay.fetchQuery(environment, query, LIST).toPromise();

  expect(query.params).toMatchObject({ text: null, id: expect.any(String) });
  expect(data).toBeDefined();
  expect(gateway.logged()).toEqual([]);
});
