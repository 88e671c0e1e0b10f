import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { subscribe } from '../features/live/support.ts';
import { connect } from '../features/mcp/support.ts';
import { executeAs } from '../identity/support.ts';
import { writeFolder } from '../support/folder.ts';
import { type Env, postGraphql } from '../support/gateway.ts';
import { ENDS_WITHIN_MS, replaceFile, startReloading, writeFiles } from './support.ts';

const KEY = { 'x-api-key': 'web' };
const COUNT = '{ forms { totalCount } }';
const VIEWER = '{ viewer { name } }';
const LIVE = 'subscription { instances(formId: "supplier") { totalCount } }';
const TOOL = (name: string) => `"""Counts."""\nquery ${name} { forms { totalCount } }`;

async function startWithFiles(env: Env = {}, documents: Readonly<Record<string, string>> = {}) {
  const files = writeFiles();
  for (const [name, text] of Object.entries(documents))
    writeFileSync(files.at(`documents/${name}`), text);
  const gateway = await startReloading({ ...files.env, ...env });
  /** Returns the error code of a document by its id. */
  const run = async (documentId: string) => {
    const { errors } = await postGraphql(gateway.url, { documentId }, KEY);
    return errors?.[0]?.extensions['code'] ?? 'ok';
  };
  return { ...gateway, ...files, run };
}

const ENFORCED = { DOCUMENTS_MODE: 'enforce' };

describe('a document that changes', () => {
  it('runs in its new version, and a deleted one does not run, by id or by text', async () => {
    const { url, at, run, reload } = await startWithFiles(ENFORCED, { 'old.graphql': VIEWER });
    const runAll = async () => [
      await run('count'),
      await run('old'),
      await run('new'),
      (await executeAs(url, VIEWER, KEY)).status,
    ];
    expect(await runAll()).toEqual(['ok', 'ok', 'DOCUMENT_NOT_TRUSTED', 200]);

    rmSync(at('documents/old.graphql'));
    writeFileSync(at('documents/new.graphql'), '{ viewer { name until } }');
    await reload('RELOADED');

    expect(await runAll()).toEqual(['ok', 'DOCUMENT_NOT_TRUSTED', 'ok', 403]);
  });

  it('ends its own streams when it is deleted', async () => {
    const { url, at, hangUp } = await startWithFiles(ENFORCED, {
      'live.graphql': LIVE,
      'kept.graphql': LIVE.replace('totalCount', 'nodes { id }'),
    });
    const open = (documentId: string) => subscribe(url, { documentId }, { headers: KEY });
    const [gone, kept] = await Promise.all([open('live'), open('kept')]);
    await Promise.all([gone.next(), kept.next()]);

    rmSync(at('documents/live.graphql'));
    hangUp();
    const began = performance.now();

    expect(await gone.ended).not.toContain('event: complete');
    expect(performance.now() - began).toBeLessThan(ENDS_WITHIN_MS);
    expect(await Promise.race([kept.ended, 'open'])).toBe('open');
  });

  it('leaves streams of the same text where all documents may run', async () => {
    const { url, at, reload } = await startWithFiles({}, { 'live.graphql': LIVE });
    const stream = await subscribe(url, LIVE, { headers: KEY });
    await stream.next();

    rmSync(at('documents/live.graphql'));
    await reload('RELOADED');

    expect(await Promise.race([stream.ended, 'open'])).toBe('open');
  });

  const write = (name: string, text: string) => (folder: string) =>
    writeFileSync(join(folder, name), text);
  const makePipe = (folder: string) => {
    rmSync(join(folder, 'count.graphql'));
    execFileSync('mkfifo', [join(folder, 'count.graphql')]);
  };

  it.each<[string, (folder: string) => void, RegExp]>([
    [
      'it has a field that the graph lacks',
      write('count.graphql', '{ nothing }'),
      /count\.graphql:1:3: Cannot query/,
    ],
    [
      'it becomes a pipe, for which no request waits',
      makePipe,
      /DOCUMENTS: a pipe is read at the start alone/,
    ],
    ['all are gone', (folder) => rmSync(join(folder, 'count.graphql')), /DOCUMENTS/],
    ['their folder is gone', (folder) => rmSync(folder, { recursive: true }), /DOCUMENTS/],
  ])('keeps all of those before where %s', async (_what, change, problem) => {
    const { at, run, reload, page } = await startWithFiles(ENFORCED);

    change(at('documents'));
    await reload('RELOAD_FAILED');

    expect(await run('count')).toBe('ok');
    expect(await page()).toMatch(problem);
  });

  it('keeps out one that came with another which cannot be used', async () => {
    const { at, run, reload } = await startWithFiles(ENFORCED, { 'other.graphql': VIEWER });

    writeFileSync(at('documents/other.graphql'), '{ nothing }');
    writeFileSync(at('documents/new.graphql'), VIEWER);
    await reload('RELOAD_FAILED');

    expect([await run('other'), await run('new')]).toEqual(['ok', 'DOCUMENT_NOT_TRUSTED']);
  });
});

it('a changed document without __typename is logged', async () => {
  const { at, reload, logged } = await startWithFiles();
  const lacking = () => logged().filter(({ msg }) => String(msg).includes('without __typename'));
  expect(lacking()).toEqual([]);

  writeFileSync(at('documents/count.graphql'), '{ node(id: "x") { id } }');
  await reload('RELOADED');

  expect(lacking()).toMatchObject([{ count: 1, documents: ['count'] }]);
});

it('a folder of documents whose link is swapped, as Kubernetes does, has the documents of the new folder and of later subfolders', async () => {
  const folder = writeFolder({ 'docs/..1/a.graphql': COUNT, 'docs/..1/b.graphql': VIEWER });
  const at = (name: string) => join(folder, 'docs', name);
  symlinkSync('..1', at('..data'));
  for (const name of ['a.graphql', 'b.graphql']) symlinkSync(`..data/${name}`, at(name));
  const { run, reload, hangUp, logged } = await startWithFiles({ DOCUMENTS: at('') });
  expect([await run('a'), await run('b')]).toEqual(['ok', 'ok']);

  mkdirSync(at('..2'));
  writeFileSync(at('..2/a.graphql'), '{ viewer { until } }');
  symlinkSync('..2', at('..data_tmp'));
  renameSync(at('..data_tmp'), at('..data'));
  // Kubernetes removes the links of deleted files a moment later.
  rmSync(at('b.graphql'));
  await reload('RELOADED');
  expect([await run('a'), await run('b')]).toEqual(['ok', 'PERSISTED_QUERY_NOT_FOUND']);

  mkdirSync(at('sub'));
  writeFileSync(at('sub/c.graphql'), COUNT);
  await reload('RELOADED');
  expect(await run('sub/c')).toBe('ok');
  hangUp();
  expect(logged().filter(({ level }) => level === 50)).toEqual([]);
});

it('the tools of MCP follow the changed documents', async () => {
  const documents = { 'tool.graphql': TOOL('First') };
  const { url, at, reload } = await startWithFiles({ MCP: 'queries' }, documents);
  const client = await connect(url, { headers: KEY });
  const tools = async () => (await client.listTools()).tools.map(({ name }) => name);
  expect(await tools()).toEqual(['First']);

  replaceFile(at('documents/tool.graphql'), TOOL('Second'));
  await reload('RELOADED');
  expect(await tools()).toEqual(['Second']);

  writeFileSync(at('documents/same.graphql'), `${TOOL('Second')} # again`);
  await reload('RELOAD_FAILED');
  expect(await tools()).toEqual(['Second']);
});
