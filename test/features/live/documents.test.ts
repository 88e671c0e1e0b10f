import { describe, expect, it } from 'vitest';

import { writeFolder } from '../../support/folder.ts';
import { startGateway } from '../../support/gateway.ts';
import { writeDialect } from '../../support/write-dialect.ts';
import { startBoard, subscribe } from './support.ts';

const DOCUMENT = 'subscription Suppliers { instances(formId: "supplier") { totalCount } }';

describe('trusted documents', () => {
  it.each(['off', 'log', 'enforce'])(
    'may be subscriptions, by id or text, with DOCUMENTS_MODE=%s',
    async (mode) => {
      const folder = writeFolder({ 'pages/suppliers.graphql': DOCUMENT });
      const { url } = await startGateway({ DOCUMENTS: folder, DOCUMENTS_MODE: mode });
      for (const named of [{ documentId: 'pages/suppliers' }, DOCUMENT]) {
        const stream = await subscribe(url, named);
        expect((await stream.next()).data.instances.totalCount).toBeGreaterThan(0);
      }
    },
  );

  it('keep all other subscriptions out where they are enforced', async () => {
    const folder = writeFolder({ 'pages/suppliers.graphql': DOCUMENT });
    const { url } = await startGateway({ DOCUMENTS: folder, DOCUMENTS_MODE: 'enforce' });
    const { status, ended } = await subscribe(url, DOCUMENT.replace('supplier', 'expense'));
    expect(status).toBe(403);
    expect(JSON.parse(await ended).errors[0].extensions.code).toBe('DOCUMENT_NOT_TRUSTED');
  });
});

it('a subscription that reads too much is refused with the number of its resources and the limit', async () => {
  const UPSTREAM_DIALECT = writeDialect({ search: { operators: { IN: null } } });
  const { url, board } = await startBoard((idInstance) => ({ body: { idInstance, values: {} } }), {
    UPSTREAM_DIALECT,
  });
  board.rows = 12;

  const query =
    'subscription { instances(formId: "a", first: 12) { nodes { reference(field: "each") { id } } } }';
  const { status, ended } = await subscribe(url, query);

  expect(status).toBe(400);
  expect(JSON.parse(await ended).errors[0]).toMatchObject({
    message: 'This reads 13 resources of the platform, and at most 10 can be watched.',
    extensions: { code: 'COST_EXCEEDED' },
  });
});
