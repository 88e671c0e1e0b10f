import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';

import { readAddresses } from './support/addresses.ts';
import { type Env, postGraphql } from './support/gateway.ts';
import { placePackages } from './support/place-packages.ts';

const ROOT = join(import.meta.dirname, '..');
/** npm reports a missing caseway instead of downloading it. The compile cache is shared. */
const envIn = (folder: string) => ({
  PATH: process.env['PATH'],
  npm_config_offline: 'true',
  PORT: '0',
  NODE_COMPILE_CACHE: join(folder, '.compiled'),
});

describe('the npm package, installed in an empty folder', () => {
  const built = join(inject('packed'), 'dist');
  const [tarball = ''] = globSync(join(inject('packed'), '*.tgz'));
  let folder: string;
  let installed: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'caseway-empty-'));
    installed = join(folder, 'node_modules/caseway');
    // npm reuses the packages that are there and suffice, so that it needs no registry.
    placePackages(folder, built, true);
    const options = ['--loglevel=error', '--offline', '--no-audit', '--no-fund'];
    execFileSync('npm', ['install', ...options, tarball], { cwd: folder, stdio: 'pipe' });
  }, 180_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('contains the files of the image and nothing else, at most 5 MB packed and 14 MB unpacked', () => {
    const packed = filesOf(installed);
    const bytes = packed.reduce((sum, file) => sum + statSync(join(installed, file)).size, 0);

    expect(packed.toSorted()).toEqual(filesOf(built).toSorted());
    expect(packed).toEqual(
      expect.arrayContaining(['LICENSE', 'LICENSES.md', 'README.md', 'playground/dist/index.html']),
    );
    expect(statSync(tarball).size).toBeLessThan(5_000_000);
    expect(bytes).toBeLessThan(14_000_000);
  });

  it('has the text of every licence that a package in the bundle brings', () => {
    const licences = readFileSync(join(built, 'LICENSES.md'), 'utf8');
    const bundled = [...licences.matchAll(/^# (\S+) [\d.]+$/gm)].map(
      ([, name]) => `node_modules/${name}`,
    );
    const brought = bundled.flatMap((path) =>
      globSync('[lL][iI][cC][eE][nN][cCsS][eE]{,.*,-*}', { cwd: join(ROOT, path) })
        .slice(0, 1)
        .map((file) => join(path, file)),
    );
    const missing = brought.filter(
      (path) => !licences.includes(readFileSync(join(ROOT, path), 'utf8').trim()),
    );

    expect(brought.length).toBeGreaterThan(100);
    expect(missing).toEqual([]);
  });

  it('has no script whose file is missing, and no link to a file that it does not hold', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    const readme = readFileSync(join(installed, 'README.md'), 'utf8');
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    const repository = manifest.repository.url.replace(/^git\+|\.git$/g, '');
    const own = links.filter((link) => link.startsWith(repository));

    expect(manifest).not.toHaveProperty('scripts');
    expect(links.filter((link) => !/^(https:|#)/.test(link))).toEqual([]);
    expect(own.length).toBeGreaterThan(0);
    for (const link of own) {
      const [, version, file = ''] = /\/(?:blob|raw)\/v([^/]+)\/([^#]+)/.exec(link) ?? [];
      expect([version, existsSync(join(ROOT, file))]).toEqual([manifest.version, true]);
    }
  });

  it('serves the sandbox and the playground, and stores its data at the printed path', async () => {
    const { url, stdout } = await start(folder);

    const { data } = await postGraphql(url, { query: '{ forms { nodes { formId } } }' });
    const playground = await fetch(`${url}/playground`);

    expect(data.forms.nodes).toContainEqual({ formId: 'expense' });
    expect(playground.headers.get('content-type')).toContain('text/html');
    expect(stdout()).toContain(join(folder, 'data/sandbox.sqlite'));
    expect(existsSync(join(folder, 'data/sandbox.sqlite'))).toBe(true);
  });

  it('has the commands, and prints the version of its manifest', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

    expect(caseway(folder, ['--version'])).toBe(`${version}\n`);
    expect(caseway(folder, ['doctor'])).toContain('The gateway can work with this platform.');
    expect(caseway(folder, ['schema'])).toContain('type PurchaseRequest');
  });

  it('keeps compiled code beside the other packages, and starts where it cannot be kept', () => {
    const cache = join(folder, 'node_modules/.cache');
    const env = { ...envIn(folder), NODE_COMPILE_CACHE: undefined };
    const printVersion = () => caseway(folder, ['--version'], env);

    const first = printVersion();
    const kept = existsSync(join(cache, 'caseway'));
    rmSync(cache, { recursive: true });
    writeFileSync(cache, 'a file where the folder would be');
    const second = printVersion();
    rmSync(cache);

    expect(kept).toBe(true);
    expect(second).toBe(first);
    expect(existsSync(join(installed, 'node_modules'))).toBe(false);
  });

  it('has types for each of its imports', () => {
    writeFileSync(join(folder, 'types.mts'), TYPES);
    writeFileSync(join(folder, 'adapter.mts'), ADAPTER);
    cpSync(join(ROOT, 'examples/extension/purchasing.ts'), join(folder, 'extension.mts'));
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
    const options = ['--noEmit', '--strict', '--module', 'nodenext', ...types];
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const files = ['types.mts', 'adapter.mts', 'extension.mts'];

    const args = [tsc, ...options, ...files];
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });

    expect(stdout).toBe('');
  });

  it('runs an adapter that imports it', async () => {
    writeFileSync(join(folder, 'adapter.mts'), ADAPTER);
    writeFileSync(join(folder, 'dialect.json'), '{"adapter":"./adapter.mts"}');
    const { url } = await start(folder, {
      UPSTREAM_DIALECT: 'dialect.json',
      SANDBOX_FILE: ':memory:',
    });

    const { data } = await postGraphql(url, { query: '{ form(formId: "expense") { name } }' });

    expect(data.form.name).toMatch(/^\w.*!$/);
  });
});

const ADAPTER = `
  import { defineAdapter, type JsonNumber } from 'caseway/adapter';
  export default defineAdapter({
    response({ operation, ids }, { body }) {
      if (operation !== 'getForm') return {};
      const { name } = body as { name: string; version: JsonNumber };
      return { body: { idForm: ids.formId, name: name + '!' } };
    },
  });
  // @ts-expect-error there is no such member
  defineAdapter({ respond: () => ({}) });
`;

const TYPES = `
  import { createConnection, type RequestKind } from 'caseway/client';
  import { createMemoryStorage, createOfflineQueue } from 'caseway/client/offline';
  import { type Scalars, scalars } from 'caseway/codegen';
  import { defineExtension } from 'caseway/extension';
  import { startGateway, type TestGateway } from 'caseway/testing';
  const { request } = createConnection({ url: '/graphql' });
  createOfflineQueue({ storage: createMemoryStorage(), send: (_name, v) => request('{ a }', v) });
  export const long: Scalars['Long'] = scalars.Long.output;
  export const gateway: TestGateway = await startGateway({ records: { employee: [] } });
  // @ts-expect-error there is no such kind
  export const kind: RequestKind = 'reads';
  // @ts-expect-error there is no such member
  defineExtension({ typedefs: '' });
  // @ts-expect-error there is no such option
  startGateway({ record: {} });
`;

const filesOf = (folder: string): string[] =>
  globSync('**', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));

/** Runs what `npx caseway` runs, without npm, which takes longer than the command. */
function caseway(
  cwd: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = envIn(cwd),
): string {
  const program = join(cwd, 'node_modules/.bin/caseway');
  return execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: 'pipe' });
}

/** Runs `npx caseway`; it ends with the test. */
async function start(cwd: string, env: Env = {}) {
  const child = spawn('npx', ['caseway'], { cwd, env: { ...envIn(cwd), ...env }, detached: true });
  onTestFinished(() => end(child));
  let stdout = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      const addresses = readAddresses(stdout);
      if (addresses) resolve(addresses.url);
    });
    child.once('exit', (code) => reject(new Error(`It ended with ${code}: ${stdout}`)));
  });
  return { url, stdout: () => stdout };
}

/** npm's process starts others: the whole group ends. */
function end({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}
