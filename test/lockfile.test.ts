import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { addressed, incomplete, type Lockfile, outdated, scripted, unverified } from './support/lockfile.ts';

const read = (file: string) => readFileSync(join(import.meta.dirname, '..', file), 'utf8');
const lockfile = JSON.parse(read('package-lock.json')) as Lockfile;
const peers = JSON.parse(read('bench/peers/package-lock.json')) as Lockfile;
const manifest = JSON.parse(read('package.json')) as {
  engines: Record<string, string>;
  scripts: Record<string, string>;
  allowScripts: Record<string, boolean>;
};

/** Older versions have known holes; GraphQL.js 17, its pre-releases included, is outside Apollo Server's peer range. */
const VERSIONS = {
  undici: { atLeast: '8.9.0' },
  '@apollo/server': { atLeast: '5.5.0' },
  graphql: { atLeast: '16.8.1', below: '17.0.0-0' },
};

const lockfileOf = (packages: Lockfile['packages']): Lockfile => ({ lockfileVersion: 3, packages });
const integrity = 'sha512-AAAA';

describe('package-lock.json', () => {
  it('is of version 3', () => {
    expect(lockfile.lockfileVersion).toBe(3);
  });

  it('holds every package that another names, those for other platforms included', () => {
    expect(incomplete(lockfile)).toEqual([]);
  });

  it('names an integrity for every package', () => {
    expect(unverified(lockfile)).toEqual([]);
  });

  it('names no address to download from, so that any registry mirror will do', () => {
    expect(addressed(lockfile)).toEqual([]);
  });

  it('has install scripts only of packages that package.json allows or refuses by name', () => {
    expect(scripted(lockfile).filter(({ name }) => !(name in manifest.allowScripts))).toEqual([]);
  });

  it('has no package in production whose install script may run', () => {
    expect(scripted(lockfile).filter(({ name, isDev }) => !isDev && manifest.allowScripts[name] !== false)).toEqual([]);
  });

  it('holds versions without known holes', () => {
    expect(outdated(lockfile, VERSIONS)).toEqual([]);
  });
});

describe('bench/peers/package-lock.json', () => {
  it('holds every package that another names, each with an integrity and without an address', () => {
    expect(incomplete(peers)).toEqual([]);
    expect(unverified(peers)).toEqual([]);
    expect(addressed(peers)).toEqual([]);
  });

  it('brings no peer into what Caseway installs', () => {
    expect(
      Object.keys(lockfile.packages).filter((path) => path.includes('mercurius') || path.includes('yoga')),
    ).toEqual([]);
  });
});

describe('the checks of package-lock.json', () => {
  it('catch a package without integrity, or with a weak one', () => {
    const planted = lockfileOf({
      '': {},
      'node_modules/a': { version: '1.0.0' },
      'node_modules/b': { integrity: 'sha1-AAAA' },
    });

    expect(unverified(planted)).toEqual(['node_modules/a', 'node_modules/b']);
  });

  it.each([
    { resolved: 'https://registry.example/a.tgz', integrity },
    { version: 'git+ssh://git@example.com/a.git', integrity },
    { version: 'https://example.com/a.tgz', integrity },
    { resolved: 'packages/a', link: true, integrity },
    { version: '1.0.0', integrity, dependencies: { b: 'github:owner/b' } },
  ])('catch an address: %o', (entry) => {
    expect(addressed(lockfileOf({ '': {}, 'node_modules/a': entry }))).toEqual(['node_modules/a']);
  });

  it('catch a package that is missing, on whatever platform', () => {
    const planted = lockfileOf({
      '': { dependencies: { a: '^1.0.0', c: '^1.0.0' } },
      'node_modules/a': {
        dependencies: { b: '^1.0.0' },
        optionalDependencies: { 'a-linux': '1.0.0', 'a-win': '1.0.0' },
      },
      'node_modules/a/node_modules/b': { dependencies: { 'a-linux': '^1.0.0' } },
      'node_modules/a-linux': {},
    });

    expect(incomplete(planted)).toEqual([' needs c', 'node_modules/a needs a-win']);
  });

  it('catch an install script, also of a package below another', () => {
    const planted = lockfileOf({ 'node_modules/a/node_modules/@s/b': { integrity, hasInstallScript: true } });

    expect(scripted(planted)).toEqual([{ name: '@s/b', isDev: false }]);
  });

  it.each(['8.8.9', '7.29.0', '8.9.0-beta.1'])('catch undici %s, wherever it is installed', (version) => {
    const planted = lockfileOf({ 'node_modules/a/node_modules/undici': { integrity, version } });

    expect(outdated(planted, VERSIONS)).toEqual([`undici ${version}`]);
  });

  it.each(['17.0.0', '17.0.0-alpha.1'])('catch graphql %s, which is too new', (version) => {
    const planted = lockfileOf({ 'node_modules/graphql': { integrity, version } });

    expect(outdated(planted, VERSIONS)).toEqual([`graphql ${version}`]);
  });
});

describe('package.json', () => {
  it('asks for a Node that runs TypeScript as it is', () => {
    expect(manifest.engines['node']).toBe('>=22.19');
  });

  it.each(['start', 'dev', 'sandbox', 'generate', 'check', 'test', 'schema'])('has the script %s', (name) => {
    expect(manifest.scripts[name]).toEqual(expect.any(String));
  });

  it('runs every part of the check', () => {
    const parts = Object.keys(manifest.scripts).filter((name) => name.startsWith('check:'));

    expect(parts.filter((name) => !manifest.scripts['check']?.includes(`npm run ${name}`))).toEqual([]);
  });
});
