import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { writeFolder } from '../support/folder.ts';
import { type Env, postGraphql } from '../support/gateway.ts';
import { COMPILED } from '../support/run.ts';

const ROOT = join(import.meta.dirname, '../..');
const OWN = { ...COMPILED, SANDBOX_FILE: ':memory:', PORT: '0' };
const WAITING = { timeout: 90_000, interval: 50 };

const answering = (value: number) => `
import { defineExtension } from 'caseway/extension';
const value: number = ${value};
export default defineExtension({ typeDefs: 'extend type Query { own: Int }', resolvers: { Query: { own: () => value } } });
`;

/** Runs the command of `npm run dev` in a checkout. It ends with the test. */
function startDev(checkout: string, env: Env, cwd = checkout) {
  const child = spawn(process.execPath, [join(checkout, 'tools/dev.mjs')], {
    cwd,
    env: { ...OWN, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  });
  return {
    printed: (text: string) => vi.waitFor(() => expect(output).toContain(text), WAITING),
    /** Returns the address of start number `count`, after that start. */
    started: (count: number) =>
      vi.waitFor(() => {
        const addresses = [...output.matchAll(/GraphQL at (\S+)\/graphql/g)];
        expect(addresses).toHaveLength(count);
        return addresses.at(-1)?.[1] ?? '';
      }, WAITING),
  };
}

const ask = async (url: string, query: string) => (await postGraphql(url, { query })).data;

/** The gateway starts several times. A busy machine is slow. */
describe('npm run dev', { timeout: 180_000 }, () => {
  it('restarts each time an extension changes, by writing or by renaming, also in a folder that was not there at the start', async () => {
    const folder = writeFolder({ 'own.ts': answering(1) });
    const file = join(folder, 'own.ts');
    const inner = (value: number) => answering(value).replaceAll('own', 'inner');
    const { started } = startDev(ROOT, { EXTENSIONS: folder }, folder);
    expect(await ask(await started(1), '{ own }')).toEqual({ own: 1 });

    writeFileSync(file, answering(2));
    expect(await ask(await started(2), '{ own }')).toEqual({ own: 2 });
    execFileSync('sed', ['-i', 's/= 2;/= 3;/', file]);
    expect(await ask(await started(3), '{ own }')).toEqual({ own: 3 });
    cpSync(writeFolder({ 'index.ts': inner(4) }), join(folder, 'inner'), { recursive: true });
    expect(await ask(await started(4), '{ own inner }')).toEqual({ own: 3, inner: 4 });
    writeFileSync(join(folder, 'inner/index.ts'), inner(5));
    expect(await ask(await started(5), '{ own inner }')).toEqual({ own: 3, inner: 5 });
  });

  it('restarts each time git or an editor replaces a file of the code', async () => {
    const checkout = copyCode();
    const { started } = startDev(checkout, { NODE_COMPILE_CACHE: writeFolder({}) });
    const file = join(checkout, 'schema/base.graphql');
    const descriptionOf = async (url: string) =>
      (await ask(url, '{ __type(name: "Query") { description } }')).__type;
    const inner = join(checkout, 'sandbox/definitions/users.yaml');
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
        cwd: checkout,
      });
    git('init', '--quiet');
    git('add', 'schema', 'sandbox/definitions');
    git('commit', '--quiet', '--message', 'Once.');
    const before = await descriptionOf(await started(1));

    execFileSync('sed', ['-i', '1s/.*/"Again."/', file]);
    execFileSync('sed', ['-i', '1s/^/# Again.\\n/', inner]);
    expect(await descriptionOf(await started(2))).toEqual({ description: 'Again.' });
    git('checkout', '--quiet', 'schema', 'sandbox/definitions');
    expect(await descriptionOf(await started(3))).toEqual(before);
    execFileSync('sed', ['-i', '1s/.*/"Twice."/', file]);
    expect(await descriptionOf(await started(4))).toEqual({ description: 'Twice.' });
    execFileSync('sed', ['-i', '1s/^/# Again.\\n/', inner]);
    await started(5);
  });

  it('restarts when the adapter that the dialect names changes, also one that it names since', async () => {
    const naming = (name: string) =>
      `export default { response: () => ({ body: { idForm: 'expense', name: '${name}' } }) };`;
    const folder = writeFolder({
      'dialect.json': { adapter: './a/first.ts' },
      'a/first.ts': naming('one'),
      'b/second.ts': naming('three'),
    });
    const UPSTREAM_DIALECT = join(folder, 'dialect.json');
    const { started } = startDev(ROOT, { UPSTREAM_DIALECT, TYPED_FORMS: 'none' }, folder);
    const form = '{ form(formId: "expense") { name } }';
    expect(await ask(await started(1), form)).toEqual({ form: { name: 'one' } });

    writeFileSync(join(folder, 'a/first.ts'), naming('two'));
    expect(await ask(await started(2), form)).toEqual({ form: { name: 'two' } });
    writeFileSync(UPSTREAM_DIALECT, '{"adapter":"./b/second.ts"}');
    expect(await ask(await started(3), form)).toEqual({ form: { name: 'three' } });
    writeFileSync(join(folder, 'b/second.ts'), naming('four'));
    expect(await ask(await started(4), form)).toEqual({ form: { name: 'four' } });
  });

  it('waits for the next change where the gateway cannot start', async () => {
    const folder = writeFolder({ 'own.ts': answering(1) });
    const file = join(folder, 'own.ts');
    const { started, printed } = startDev(ROOT, { EXTENSIONS: folder }, folder);
    await started(1);

    writeFileSync(file, 'export default {');
    await printed('Invalid configuration');
    writeFileSync(file, answering(2));

    expect(await ask(await started(2), '{ own }')).toEqual({ own: 2 });
  });
});

/** Copies the files for `npm run dev` into a new folder. */
function copyCode(): string {
  const folder = writeFolder({});
  for (const path of ['src', 'sandbox', 'schema', 'caseway.mjs', 'package.json', 'tools/dev.mjs']) {
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
