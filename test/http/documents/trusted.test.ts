import { describe, expect, it } from 'vitest';

import { startWith } from '../../identity/support.ts';
import { writeFolder } from '../../support/folder.ts';
import { startGateway } from '../../support/gateway.ts';
import { runCommand } from '../../support/run.ts';
import { ANSWER, byHash, get, hashOf, post, QUERY } from './client.ts';

const OTHER = '{ forms { totalCount } }';
const DOCUMENT = `# Who supplies.\n${QUERY}\n`;
const NOT_TRUSTED = {
  status: 403,
  errors: [{ extensions: { code: 'DOCUMENT_NOT_TRUSTED', retryable: false } }],
};

/** Starts a gateway with these documents, and returns the lines of its log with a message. */
async function startLogging(documents: Readonly<Record<string, string>>, mode = 'off') {
  const DOCUMENTS = writeFolder(documents);
  const env = { DOCUMENTS, DOCUMENTS_MODE: mode, LOG_LEVEL: 'info', TYPED_FORMS: '*' };
  const gateway = await startGateway(env);
  const logged = (message: RegExp) => gateway.logged().filter(({ msg }) => message.test(msg));
  return { url: gateway.url, logged, DOCUMENTS };
}

describe('trusted documents', () => {
  it.each(['off', 'log', 'enforce'])(
    'are requested by id, hash or text with DOCUMENTS_MODE=%s',
    async (mode) => {
      const { url, logged, DOCUMENTS } = await startLogging(
        { 'pages/names.graphql': DOCUMENT },
        mode,
      );
      const extensions = byHash(hashOf(DOCUMENT));

      for (const asked of [
        { documentId: 'pages/names' },
        { documentId: hashOf(DOCUMENT) },
        { documentId: `sha256:${hashOf(DOCUMENT)}` },
        { extensions },
        { query: DOCUMENT, extensions },
        { query: DOCUMENT },
        { query: QUERY },
        { query: QUERY.replaceAll(' ', '\n') },
      ]) {
        expect(await post(url, asked)).toMatchObject({ status: 200, ...ANSWER });
        expect(await (await get(url, asked)).json()).toEqual(ANSWER);
      }
      expect(logged(/^trusted documents are loaded$/)).toMatchObject([
        { documents: 1, from: DOCUMENTS },
      ]);
    },
  );

  const operation = { id: '1a2b', name: 'Names', type: 'query', body: QUERY };
  const format = 'apollo-persisted-query-manifest';

  it.each([
    ['Relay or a code generator', { '1a2b': QUERY }],
    ['Apollo', { format, version: 1, operations: [operation] }],
  ])('can be read from a manifest as %s writes it', async (_who, manifest) => {
    const folder = writeFolder({ 'manifest.json': manifest });

    for (const DOCUMENTS of [folder, `${folder}/manifest.json`]) {
      const url = await startWith({ DOCUMENTS, DOCUMENTS_MODE: 'enforce' });
      expect(await post(url, { documentId: '1a2b' })).toMatchObject(ANSWER);
      expect(await post(url, { extensions: byHash('1a2b') })).toMatchObject(ANSWER);
      expect(await post(url, { extensions: byHash(hashOf(QUERY)) })).toMatchObject(ANSWER);
    }
  });

  const FIRST = {
    'list.graphql': '{ instances(formId: "supplier") { nodes { id } } }',
    'nested.graphql': '{ form(formId: "supplier") { instances { nodes { id } } } }',
    'other-name.graphql': '{ node(id: "x") { type: __typename id } }',
    'part.graphql': '{ node(id: "x") { ... on Supplier { __typename name } } }',
    'whole.graphql': '{ node(id: "x") { ... on Supplier { ... on Node { __typename } } } }',
  };
  const SECOND = {
    'x-operation.graphql': `query A ${OTHER} query B { node(id: "x") { id } }`,
    'y-mutation.graphql':
      'mutation { deleteInstance(input: { formId: "supplier", instanceId: 1 }) { deletedId } createInstance(input: { formId: "supplier", values: {} }) { instance { id } } }',
  };
  const idsOf = (documents: object) =>
    Object.keys(documents).map((name) => name.replace('.graphql', ''));

  it.each([
    ['with their ids', FIRST, 5, idsOf(FIRST)],
    ['in the second operation and in a mutation', SECOND, 2, idsOf(SECOND)],
    ['with the number and the first ids', { ...FIRST, ...SECOND }, 7, idsOf(FIRST)],
  ])(
    'that lack __typename are logged in one line: %s',
    async (_what, lacking, count, documents) => {
      const { logged, DOCUMENTS } = await startLogging({
        ...lacking,
        'a-none.graphql': OTHER,
        'a-selected.graphql': '{ node(id: "x") { __typename id } }',
        'a-fragment.graphql': '{ node(id: "x") { ...A } } fragment A on Node { __typename id }',
        'a-interface.graphql':
          '{ instances(formId: "supplier") { nodes { ... on Node { ... { __typename } } } } }',
        'a-one-type.graphql': '{ suppliers { nodes { id } } }',
      });

      expect(
        logged(/^trusted documents select an interface or a union without __typename$/),
      ).toMatchObject([{ count, documents, from: DOCUMENTS }]);
    },
  );

  it('run mutations by id', async () => {
    const DOCUMENTS = writeFolder({
      'rate.graphql':
        'mutation ($n: Int!) { createInstance(input: { formId: "supplier", values: { name: "A", country: "DE", active: true, rating: $n } }) { instance { id } } }',
    });
    const url = await startWith({ DOCUMENTS, DOCUMENTS_MODE: 'enforce' });
    const asked = { documentId: 'rate', variables: { n: 4 } };

    expect(await post(url, asked)).toMatchObject({ data: { createInstance: { instance: {} } } });
    expect((await get(url, asked)).status).toBe(405);
  });
});

describe('untrusted documents', () => {
  it('are rejected before any call', async () => {
    const { url } = await startLogging({ 'names.graphql': QUERY }, 'enforce');

    for (const asked of [
      { query: OTHER },
      // With a trusted document in a comment.
      { query: `#${QUERY}\n${OTHER}` },
      { query: OTHER, extensions: byHash(hashOf(OTHER)) },
      { extensions: byHash(hashOf(OTHER)) },
      { documentId: 'other' },
      { documentId: 'constructor' },
      { query: '{ __schema { types { name } } }' },
      { query: '{ "' },
    ]) {
      const response = await get(url, asked);
      const { status, ...answer } = NOT_TRUSTED;
      expect([response.status, response.headers.get('cache-control')]).toEqual([
        status,
        'no-store',
      ]);
      expect(await response.json(), JSON.stringify(asked)).toMatchObject(answer);
      expect(await post(url, asked), JSON.stringify(asked)).toMatchObject(NOT_TRUSTED);
    }
  });

  it('run, and are logged by hash and count, in report mode', async () => {
    const { url, logged } = await startLogging({ 'names.graphql': QUERY }, 'log');

    for (const query of [QUERY, OTHER, OTHER])
      expect((await post(url, { query })).errors).toBeUndefined();

    expect(logged(/document not trusted/)).toMatchObject(
      [1, 2].map((untrusted) => ({ untrusted, document: hashOf(OTHER) })),
    );
  });
});

describe('invalid documents', () => {
  const SANDBOX = { PORT: '0', SANDBOX_FILE: ':memory:' };

  it('are all reported with line and column, and startup fails', async () => {
    const DOCUMENTS = writeFolder({
      'a.graphql': 'query A {\n  nothing\n}',
      'b.graphql': 'query B { forms {',
      'c.graphql': 'fragment C on Form { name }',
      'd.graphql': `{ ${'a '.repeat(3_000)}}`,
      'e.graphql': 'subscription E { a }',
      'f.json': { x: 'query F { formz { totalCount } }', y: 1 },
      'g.json': '[]',
      'x.graphql': QUERY,
    });

    const env = { ...SANDBOX, DOCUMENTS, DOCUMENTS_MODE: 'enforce', LIVE_INTERVAL_MS: '0' };
    const { code, stderr, stdout } = await runCommand([], env);

    expect([code, stdout]).toEqual([2, '']);
    const places = [
      'a.graphql:2:3: Cannot query field "nothing"',
      'b.graphql:1:18: Syntax Error',
      'c.graphql:1:1: ',
      'd.graphql:1:1: Too many tokens',
      'e.graphql:1:1: Schema is not configured to execute subscription operation.',
      'f.json: "x":1:11: Cannot query field "formz"',
      'f.json: "y" must be',
      'g.json: must be a JSON object',
    ];
    for (const place of places) expect(stderr).toContain(`${DOCUMENTS}/${place}`);
    expect(stderr).toMatch(/the id "x" stands for different documents/);
  });

  it.each([
    ['are missing', { DOCUMENTS: '/nowhere' }],
    ['are not set', { DOCUMENTS_MODE: 'enforce' }],
  ])('make startup fail where they %s', async (_what, env) => {
    const { code, stderr } = await runCommand([], { ...SANDBOX, ...env });

    expect(code).toBe(2);
    expect(stderr).toContain('- DOCUMENTS: ');
  });
});
