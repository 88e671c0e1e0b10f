import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

interface LockedPackage {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

/** Licences that allow distribution in a bundle with the licence's text. */
const LICENCES = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  '(MIT AND BSD-3-Clause)',
]);

function packagesOf(file: string): [path: string, locked: LockedPackage][] {
  const lockfile = JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
  return Object.entries<LockedPackage>(lockfile.packages).filter(([path]) => path !== '');
}

it.each(globSync('**/package-lock.json', { cwd: ROOT, exclude: ['**/node_modules'] }))(
  '%s has an integrity for every package, and no address, so that it works with any registry mirror',
  (file) => {
    const faulty = packagesOf(file).filter(
      ([, { integrity, resolved }]) => !integrity?.startsWith('sha512-') || resolved !== undefined,
    );

    expect(faulty).toEqual([]);
  },
);

it('the gateway needs no optional package: npm leaves one out that wants a newer Node than the one npm runs on', () => {
  const optional = packagesOf('package-lock.json').filter(
    ([, { dev, optional }]) => optional && !dev,
  );

  expect(optional).toEqual([]);
});

it('every package of the gateway has a licence that allows distribution', () => {
  const others = packagesOf('package-lock.json').filter(
    ([, { dev, license }]) => !dev && !LICENCES.has(String(license)),
  );

  expect(others).toEqual([]);
});
