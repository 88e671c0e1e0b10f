import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const { version } = JSON.parse(read('package.json')) as { readonly version: string };

/** Each place of the version, as a pattern with one group. */
const PLACES: readonly [file: string, pattern: RegExp][] = [
  ['package-lock.json', /^ {2}"version": "(.+)"/gm],
  ['deploy/compose.yaml', /CASEWAY_VERSION:-(.+)\}/g],
  ['deploy/kubernetes/kustomization.yaml', /newTag: (.+)/g],
  ['docs/deployment.md', /caseway[:-](\d+\.\d+\.\d+)/g],
];

it.each(PLACES)('%s has the version of package.json', (file, pattern) => {
  const versions = [...read(file).matchAll(pattern)].map(([, found]) => found);

  expect(new Set(versions)).toEqual(new Set([version]));
});

it('the changelog has a section for the version, or for the changes since', () => {
  const [newest] = read('CHANGELOG.md').match(/^## \S+/m) ?? [];

  expect(['## Unreleased', `## ${version}`]).toContain(newest);
});
