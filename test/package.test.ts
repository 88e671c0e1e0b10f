import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { readAddresses } from './support/addresses.ts';
import { type Env, postGraphql } from './support/gateway.ts';
import { placePackages } from './support/image/layout.ts';

const ROOT = join(import.meta.dirname, '..');
/** Files of a checkout that git does not track or that packing does not need. */
const LEFT_OUT = ['.git', 'dist', 'data', 'test', 'bench', 'examples'];
/** npm reports a missing caseway instead of downloading it. The compile cache is shared. */
const envIn = (folder: string) => ({
  ...{ PATH: process.env['PATH'], npm_config_offline: 'true', PORT: '0' },
  NODE_COMPILE_CACHE: join(folder, '.compiled'),
});

describe('the npm package, installed in an empty folder', () => {
  let scratch: string;
  let checkout: string;
  let folder: string;
  let packed: readonly string[];

  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), 'caseway-package-'));
    checkout = join(scratch, 'checkout');
    folder = join(scratch, 'empty');
    mkdirSync(folder);
    // The copy cannot install the packages of the playground.
    npm(ROOT, 'run', 'prepare');
    cpSync(ROOT, checkout, { recursive: true, filter: isPacked });
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));

    npm(checkout, 'run', 'build');
    // npm reuses the packages that are there and suffice, so that it needs no registry.
    placePackages(folder, join(checkout, 'dist'), true);
    npm(checkout, 'pack', './dist', '--pack-destination', scratch);
    const [tarball = ''] = globSync(join(scratch, '*.tgz'));
    npm(folder, 'install', '--offline', '--no-audit', '--no-fund', tarball);
    packed = filesOf(join(folder, 'node_modules/caseway'));
  }, 180_000);
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  it('contains the files of the image and nothing else', () => {
    expect(packed.toSorted()).toEqual(filesOf(join(checkout, 'dist')).toSorted());
    expect(packed).toEqual(
      expect.arrayContaining(['LICENSE', 'LICENSES.md', 'README.md', 'playground/dist/index.html']),
    );
  });

  it('has at most 5 MB packed, and 14 MB unpacked', () => {
    const [tarball = ''] = globSync(join(scratch, '*.tgz'));
    const installed = join(folder, 'node_modules/caseway');
    const unpacked = packed.reduce((sum, file) => sum + statSync(join(installed, file)).size, 0);

    expect(statSync(tarball).size).toBeLessThan(5_000_000);
    expect(unpacked).toBeLessThan(14_000_000);
  });

  it('has the text of every licence that a package in the bundle brings', () => {
    const licences = readFileSync(join(checkout, 'dist/LICENSES.md'), 'utf8');
    const bundled = [...licences.matchAll(/^# (\S+) [\d.]+$/gm)].map(
      ([, name]) => `node_modules/${name}`,
    );
    const brought = bundled.flatMap((path) =>
      globSync('[lL][iI][cC][eE][nN][cCsS][eE]{,.*,-*}', { cwd: join(ROOT, path) })
        .slice(0, 1)
        .map((file) => join(path, file)),
    );
    const texts = brought.map(
      (path) => [path, readFileSync(join(ROOT, path), 'utf8').trim()] as const,
    );

    expect(brought.length).toBeGreaterThan(100);
    expect(texts.filter(([, text]) => !licences.includes(text)).map(([path]) => path)).toEqual([]);
  });

  it('has no script whose file is missing, and no link to a file that it does not hold', () => {
    const installed = join(folder, 'node_modules/caseway');
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

    const { data } = await postGraphql(url, '{"query":"{ forms { nodes { formId } } }"}');
    const playground = await fetch(`${url}/playground`);

    expect(data.forms.nodes).toContainEqual({ formId: 'expense' });
    expect(playground.headers.get('content-type')).toContain('text/html');
    expect(stdout()).toContain(join(folder, 'data/sandbox.sqlite'));
    expect(existsSync(join(folder, 'data/sandbox.sqlite'))).toBe(true);
  });

  it('has the commands, and prints the version of its manifest', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      readonly version: string;
    };

    expect(caseway(folder, '--version')).toBe(`${version}\n`);
    expect(caseway(folder, 'doctor')).toContain('The gateway can work with this platform.');
    expect(caseway(folder, 'schema')).toContain('type PurchaseRequest');
  });

  it('keeps compiled code beside the other packages, and starts where it cannot be kept', () => {
    const cache = join(folder, 'node_modules/.cache');
    const withoutFolder = { ...envIn(folder), NODE_COMPILE_CACHE: undefined };
    const printVersion = () =>
      execFileSync(
        process.execPath,
        [join(folder, 'node_modules/caseway/caseway.mjs'), '--version'],
        {
          cwd: folder,
          encoding: 'utf8',
          env: withoutFolder,
        },
      );

    const first = printVersion();
    const kept = existsSync(join(cache, 'caseway'));
    rmSync(cache, { recursive: true });
    writeFileSync(cache, 'a file where the folder would be');
    const second = printVersion();
    rmSync(cache);

    expect(kept).toBe(true);
    expect(second).toBe(first);
    expect(existsSync(join(folder, 'node_modules/caseway/node_modules'))).toBe(false);
  });

  it('gives tests of frontends the import with its types, to modules of both kinds', () => {
    const body = `const gateway = await startGateway({ records: { employee: [] } });
      const response = await fetch(gateway.url + '/graphql?query={employees{totalCount}}', { headers: { 'x-test': '1', 'content-type': 'application/json' } });
      await gateway.reset();
      await gateway.close();
      console.log(await response.text());`;
    writeFileSync(
      join(folder, 'esm.mts'),
      `import { startGateway } from 'caseway/testing';\n${body}`,
    );
    writeFileSync(
      join(folder, 'cjs.cjs'),
      `const { startGateway } = require('caseway/testing');\n(async () => {${body}})();`,
    );

    const problems = checkTypes(folder, 'esm.mts');
    const printed = ['esm.mts', 'cjs.cjs'].map((file) =>
      JSON.parse(
        execFileSync(process.execPath, [file], {
          cwd: folder,
          encoding: 'utf8',
          env: envIn(folder),
        }),
      ),
    );

    expect(problems).toBe('');
    expect(printed).toEqual([
      { data: { employees: { totalCount: 0 } } },
      { data: { employees: { totalCount: 0 } } },
    ]);
  });

  it('gives frontends the client with its types', () => {
    const module = `import { createConnection, type RequestKind, retry } from 'caseway/client';
      import { createMemoryStorage, createOfflineQueue } from 'caseway/client/offline';
      import { type Scalars, scalars } from 'caseway/codegen';
      const { request } = createConnection({ url: 'http://127.0.0.1:1/graphql' });
      const failed = await retry('write', () => request('{ forms { totalCount } }')).catch(String);
      console.log(failed);
      const queue = createOfflineQueue({ storage: createMemoryStorage(), send: async () => ({}) });
      await queue.add({ operation: 'Approve', variables: {} });
      const long: Scalars['Long'] = scalars.Long.output;
      console.log((await queue.list()).length, long);
      // @ts-expect-error there is no such kind
      export const kind: RequestKind = 'reads';`;
    writeFileSync(join(folder, 'client.mts'), module);

    const problems = checkTypes(folder, 'client.mts');
    const printed = execFileSync(process.execPath, ['client.mts'], {
      cwd: folder,
      encoding: 'utf8',
    });

    expect(problems).toBe('');
    expect(printed).toBe('TypeError: fetch failed\n1 string\n');
  });

  it('gives authors of extensions the import with its types, and runs the extension', async () => {
    const module = `import { defineExtension } from 'caseway/extension';
      export default defineExtension({
        typeDefs: 'extend type Query { rate: Int! }',
        resolvers: { Query: { rate: () => 42 } },
      });
      // @ts-expect-error there is no such member
      defineExtension({ typedefs: '' });`;
    writeFileSync(join(folder, 'rates.mts'), module);

    const problems = checkTypes(folder, 'rates.mts');
    const { url } = await start(folder, { EXTENSIONS: 'rates.mts', SANDBOX_FILE: ':memory:' });

    expect(problems).toBe('');
    expect((await postGraphql(url, '{"query":"{ rate }"}')).data).toEqual({ rate: 42 });
  });

  it('gives authors of adapters the import with its types, and runs the adapter', async () => {
    const module = `import { defineAdapter, type JsonNumber } from 'caseway/adapter';
      export default defineAdapter({
        response({ operation, ids }, { body }) {
          if (operation !== 'getForm') return {};
          const { name } = body as { name: string; version: JsonNumber };
          return { body: { idForm: ids.formId, name: name + '!' } };
        },
      });
      // @ts-expect-error there is no such member
      defineAdapter({ respond: () => ({}) });`;
    writeFileSync(join(folder, 'adapter.mts'), module);
    writeFileSync(join(folder, 'dialect.json'), '{"adapter":"./adapter.mts"}');

    const problems = checkTypes(folder, 'adapter.mts');
    const { url } = await start(folder, {
      UPSTREAM_DIALECT: 'dialect.json',
      SANDBOX_FILE: ':memory:',
    });

    const { data } = await postGraphql(url, '{"query":"{ form(formId: \\"expense\\") { name } }"}');
    expect(problems).toBe('');
    expect(data.form.name).toMatch(/^\w.*!$/);
  });
});

const isPacked = (path: string): boolean =>
  !LEFT_OUT.includes(relative(ROOT, path)) && basename(path) !== 'node_modules';

const filesOf = (folder: string): string[] =>
  globSync('**', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));

function npm(cwd: string, ...args: readonly string[]): string {
  return execFileSync('npm', ['--loglevel=error', ...args], {
    cwd,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

/** Runs what `npx caseway` runs, without npm, which takes longer than the command. */
function caseway(cwd: string, ...args: readonly string[]): string {
  return execFileSync(join(cwd, 'node_modules/.bin/caseway'), args, {
    cwd,
    encoding: 'utf8',
    env: envIn(cwd),
    stdio: 'pipe',
  });
}

/** Returns the compiler's errors. */
function checkTypes(cwd: string, file: string): string {
  const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
  const options = ['--noEmit', '--strict', '--module', 'nodenext', ...types];
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  return execFileSync(process.execPath, [tsc, ...options, file], { cwd, encoding: 'utf8' });
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
