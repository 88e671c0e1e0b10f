import { describe, expect, it } from 'vitest';

import { startWith } from '../../identity/support.ts';
import { writeFolder } from '../../support/folder.ts';
import { type Env, startGateway } from '../../support/gateway.ts';
import { runCommand } from '../../support/run.ts';
import { ANSWER, byHash, get, hashOf, post, QUERY } from './client.ts';

const OTHER = '{ forms { totalCount } }';
const DOCUMENT = `# Who supplies.\n${QUERY}\n`;
const NOT_TRUSTED = {
  status: 403,
  errors: [{ extensions: { code: 'DOCUMENT_NOT_TRUSTED', retryable: false } }],
};
const SANDBOX = { PORT: '0', SANDBOX_FILE: ':memory:' };

/** A gateway, and the lines of its log with a message. */
async function startLogging(env: Env) {
  const gateway = await startGateway({ LOG_LEVEL: 'info', ...env });
  return {
    url: gateway.url,
    logged: (message: RegExp) => gateway.logged().filter(({ msg }) => message.test(String(msg))),
  };
}

describe('trusted documents', () => {
  it('are counted in a line of the start', async () => {
    const DOCUMENTS = writeFolder({ 'names.graphql': DOCUMENT, 'other.graphql': OTHER });
    const { logged } = await startLogging({ DOCUMENTS });

    expect(logged(/^trusted documents are loaded$/)).toMatchObject([
      { documents: 2, from: DOCUMENTS },
    ]);
  });

  it.each(['off', 'log', 'enforce'])(
    'are requested by id, hash or text with DOCUMENTS_MODE=%s',
    async (mode) => {
      const folder = writeFolder({ 'pages/names.graphql': DOCUMENT });
      const url = await startWith({ DOCUMENTS: folder, DOCUMENTS_MODE: mode });
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
    },
  );

  it.each([
    ['Relay or a code generator', { '1a2b': QUERY }],
    [
      'Apollo',
      {
        format: 'apollo-persisted-query-manifest',
        version: 1,
        operations: [{ id: '1a2b', name: 'Names', type: 'query', body: QUERY }],
      },
    ],
  ])('can be read from a manifest as %s writes it', async (_who, manifest) => {
    const folder = writeFolder({ 'manifest.json': manifest });

    for (const DOCUMENTS of [folder, `${folder}/manifest.json`]) {
      const url = await startWith({ DOCUMENTS, DOCUMENTS_MODE: 'enforce' });
      expect(await post(url, { documentId: '1a2b' })).toMatchObject(ANSWER);
      expect(await post(url, { extensions: byHash('1a2b') })).toMatchObject(ANSWER);
      expect(await post(url, { extensions: byHash(hashOf(QUERY)) })).toMatchObject(ANSWER);
    }
  });

  const lacking = (logged: (message: RegExp) => readonly object[]) =>
    logged(/^trusted documents select an interface or a union without __typename$/);

  it.each([
    ['a list of instances', '{ instances(formId: "supplier") { nodes { id } } }'],
    ['a nested field', '{ form(formId: "supplier") { instances { nodes { id } } } }'],
    ['an object with another name for it', '{ node(id: "x") { type: __typename id } }'],
    ['a fragment on some objects', '{ node(id: "x") { ... on Supplier { __typename name } } }'],
    [
      'a fragment on some objects around another',
      '{ node(id: "x") { ... on Supplier { ... on Node { __typename } } } }',
    ],
    ['the second operation', `query A ${OTHER} query B { node(id: "x") { id } }`],
    [
      'a mutation',
      'mutation { deleteInstance(input: { formId: "supplier", instanceId: 1 }) { deletedId } createInstance(input: { formId: "supplier", values: {} }) { instance { id } } }',
    ],
  ])('are logged if they lack __typename in %s', async (_where, text) => {
    const DOCUMENTS = writeFolder({ 'other.graphql': OTHER, 'lacking.graphql': text });
    const { logged } = await startLogging({ DOCUMENTS, TYPED_FORMS: '*' });

    expect(lacking(logged)).toMatchObject([{ count: 1, documents: ['lacking'], from: DOCUMENTS }]);
  });

  it.each([
    ['in the selection', '{ node(id: "x") { __typename id } }'],
    ['in a fragment', '{ node(id: "x") { ...A } } fragment A on Node { __typename id }'],
    [
      'in a fragment on an interface of all objects',
      '{ instances(formId: "supplier") { nodes { ... on Node { ... { __typename } } } } }',
    ],
    ['where all objects have one type', '{ suppliers { nodes { id } } }'],
  ])('are not logged if they have __typename %s', async (_where, text) => {
    const DOCUMENTS = writeFolder({ 'typed.graphql': text });
    const { logged } = await startLogging({ DOCUMENTS, TYPED_FORMS: '*' });

    expect(lacking(logged)).toEqual([]);
    expect(logged(/^trusted documents are loaded$/)).toMatchObject([{ documents: 1 }]);
  });

  it('without __typename are logged in one line, with the number and the first ids', async () => {
    const names = Array.from('abcdefgh', (name): [string, string] => [
      `${name}.graphql`,
      `query { node(id: "${name}") { id } }`,
    ]);
    const DOCUMENTS = writeFolder(Object.fromEntries(names));
    const { logged } = await startLogging({ DOCUMENTS });

    expect(lacking(logged)).toMatchObject([{ count: 8, documents: ['a', 'b', 'c', 'd', 'e'] }]);
  });

  it('run mutations by id', async () => {
    const folder = writeFolder({
      'rate.graphql':
        'mutation ($n: Int!) { createInstance(input: { formId: "supplier", values: { name: "A", country: "DE", active: true, rating: $n } }) { instance { id } } }',
    });
    const url = await startWith({ DOCUMENTS: folder, DOCUMENTS_MODE: 'enforce' });

    expect(await post(url, { documentId: 'rate', variables: { n: 4 } })).toMatchObject({
      data: { createInstance: { instance: {} } },
    });
    expect((await get(url, { documentId: 'rate', variables: { n: 4 } })).status).toBe(405);
  });
});

describe('untrusted documents', () => {
  it('are rejected before any call', async () => {
    const folder = writeFolder({ 'names.graphql': QUERY });
    const url = await startWith({ DOCUMENTS: folder, DOCUMENTS_MODE: 'enforce' });

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
      expect(response.headers.get('cache-control')).toBe('no-store');
      const answers = [
        { status: response.status, ...((await response.json()) as object) },
        await post(url, asked),
      ];
      expect(answers, JSON.stringify(asked)).toMatchObject([NOT_TRUSTED, NOT_TRUSTED]);
    }
  });

  it('run, and are logged by hash and count, in report mode', async () => {
    const { url, logged } = await startLogging({
      DOCUMENTS: writeFolder({ 'names.graphql': QUERY }),
      DOCUMENTS_MODE: 'log',
    });

    expect(await post(url, { query: QUERY })).toMatchObject(ANSWER);
    for (const _ of [1, 2])
      expect(await post(url, { query: OTHER })).toMatchObject({ status: 200 });

    expect(logged(/document not trusted/)).toMatchObject(
      [1, 2].map((untrusted) => ({ untrusted, document: hashOf(OTHER) })),
    );
  });
});

describe('invalid documents', () => {
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

    expect(code).toBe(2);
    expect(stdout).toBe('');
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
