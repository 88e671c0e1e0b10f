import { execFile } from 'node:child_process';
import { cpSync, globSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createSandbox } from '../../sandbox/index.ts';
import { FEATURES } from '../../src/app.ts';
import { writeFolder } from '../support/folder.ts';
import { postGraphql } from '../support/gateway.ts';
import { runMain } from '../support/run.ts';

const ROOT = join(import.meta.dirname, '../..');
/** What the gateway is made of, and what compiles it. */
const TREE = ['src', 'sandbox', 'schema', 'caseway.mjs', 'package.json', 'tsconfig.json'];
const NAMES = readdirSync(join(ROOT, 'src/features'));

/** Copies the tree without the folders of these features, and without the lines of `app.ts` and `package.json` that name them. */
async function copyWithout(names: readonly string[]): Promise<string> {
  const folder = writeFolder({});
  for (const path of TREE) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const name of names) await remove(name, folder);
  return folder;
}

async function remove(name: string, folder: string): Promise<void> {
  const { commands, exported } = await findFeature(name);
  rmSync(join(folder, 'src/features', name), { recursive: true });
  writeLines(join(folder, 'src/app.ts'), (line) => !line.includes(`/features/${name}/`) && line !== `  ${exported},`);

  const file = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const isNamed = (entry: unknown) =>
    JSON.stringify(entry).includes(`/features/${name}/`) ||
    commands.some((command) => entry === `node caseway.mjs ${command}`);
  for (const part of [manifest.exports, manifest.scripts]) {
    for (const [key, entry] of Object.entries(part)) if (isNamed(entry)) delete part[key];
  }
  writeFileSync(file, JSON.stringify(manifest));
}

/** How `app.ts` names a feature, and the names of its commands. */
async function findFeature(name: string) {
  const module: Record<string, unknown> = await import(join(ROOT, 'src/features', name, 'index.ts'));
  const feature = FEATURES.find((one) => Object.values(module).includes(one));
  const exported = Object.keys(module).find((key) => module[key] === feature);
  if (!feature || exported === undefined) throw new Error(`src/app.ts does not list the feature ${name}`);
  return { commands: feature.commands?.map((command) => command.name) ?? [], exported };
}

function writeLines(file: string, isKept: (line: string) => boolean): void {
  writeFileSync(file, readFileSync(file, 'utf8').split('\n').filter(isKept).join('\n'));
}

/** Gives the compiler's errors in `src`, one a line. */
async function compile(folder: string): Promise<string> {
  writeFileSync(
    join(folder, 'tsconfig.src.json'),
    '{ "extends": "./tsconfig.json", "include": ["src"], "exclude": [] }',
  );
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const run = promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.src.json'], { cwd: folder });
  return run.then(
    () => '',
    ({ stdout, stderr }) => stdout + stderr,
  );
}

/** A platform of its own: the gateway's may be the feature that is not there. */
const sandbox = createSandbox({ file: ':memory:', requestLimit: 0 });
const [{ username, password } = { username: '', password: '' }] = sandbox.users;
let platformUrl: string;
beforeAll(async () => {
  platformUrl = await sandbox.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(sandbox.close);

/** Starts the gateway, asks it for a form, and stops it. */
async function start(folder: string) {
  const login = { UPSTREAM_USERNAME: username, UPSTREAM_PASSWORD: password };
  const env = { UPSTREAM_URL: platformUrl, ...login, PORT: '0', METRICS_PORT: '0' };
  const run = runMain([], env, folder, folder);
  const url = await run.printed(/GraphQL at (http:\S+)\/graphql/);
  const { data } = await postGraphql(url, JSON.stringify({ query: '{ form(formId: "purchase-request") { name } }' }));
  run.stop();
  const { code } = await run.ended;
  return { data, code };
}

const ANSWER = { data: { form: { name: 'Purchase request' } }, code: 0 };

describe('a gateway', () => {
  it.each(NAMES)('compiles and answers without the feature %s', async (name) => {
    const folder = await copyWithout([name]);

    expect(await compile(folder)).toBe('');
    expect(await start(folder)).toEqual(ANSWER);
  });

  it('compiles and answers without any feature', async () => {
    const folder = await copyWithout(NAMES);

    expect(await compile(folder)).toBe('');
    expect(globSync('src/features/*', { cwd: folder })).toEqual([]);
    expect(await start(folder)).toEqual(ANSWER);
  });
});
