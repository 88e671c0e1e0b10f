import { describe, expect, it } from 'vitest';

import { writeFolder } from '../../support/folder.ts';
import { postBody } from '../../support/gateway.ts';
import { startWatched } from './support.ts';

const OPERATIONS = 'caseway_document_operations_total';
const NAMED = 'query Suppliers { __typename }';

describe('operations of trusted documents', () => {
  it('are counted by name and outcome, and other operations have no name there', async () => {
    const DOCUMENTS = writeFolder({
      'suppliers.graphql': NAMED,
      'plain.graphql': '{ __typename }',
    });
    const { url, execute, figures, read } = await startWatched({ DOCUMENTS });

    for (const documentId of ['suppliers', 'suppliers', 'plain']) {
      await postBody(url, { documentId });
    }
    await execute('query Canary { __typename }');

    expect(await figures(OPERATIONS)).toEqual({
      'operation="Suppliers",outcome="ok"': 2,
      'operation="none",outcome="ok"': 1,
    });
    expect(await read()).not.toContain('Canary');
  });

  it.each([
    ['off', {}],
    ['log', { 'operation="Suppliers",outcome="ok"': 1 }],
    ['enforce', { 'operation="Suppliers",outcome="ok"': 1 }],
  ])(
    'that are sent as text are recognised as DOCUMENTS_MODE=%s compares them',
    async (DOCUMENTS_MODE, counted) => {
      const DOCUMENTS = writeFolder({ 'suppliers.graphql': NAMED });
      const { execute, figures } = await startWatched({ DOCUMENTS, DOCUMENTS_MODE });

      await execute(NAMED);

      expect(await figures(OPERATIONS)).toEqual(counted);
    },
  );

  it('beyond the first hundred names are counted together', async () => {
    const names = Array.from({ length: 102 }, (_, at) => `Query${at}`);
    const files = names.map((name) => [`${name}.graphql`, `query ${name} { __typename }`]);
    const DOCUMENTS = writeFolder(Object.fromEntries(files));
    const { url, figures } = await startWatched({ DOCUMENTS });

    for (const documentId of names) await postBody(url, { documentId });

    const counted = await figures(OPERATIONS);
    expect(Object.keys(counted)).toHaveLength(101);
    expect(counted['operation="other",outcome="ok"']).toBe(2);
  });
});
