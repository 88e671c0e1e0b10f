import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

import { SLOWEST } from '../vitest.config.ts';

const ROOT = join(import.meta.dirname, '..');

/** The folders of `src`, from the highest to the lowest. A file imports from its own folder and from lower ones. */
const LAYERS = [
  'main.ts',
  'cli',
  'app',
  'features',
  'http',
  'graphql',
  'loaders',
  'cache',
  'upstream',
  'reload',
  'config',
  'core',
];

/** Modules between the features and the application, which may name no single feature. */
const FEATURE_INTERFACE = ['feature.ts', 'command.ts'];

interface Import {
  readonly from: string;
  readonly to: string;
}

/** Static imports and re-exports, of types as well, and `import()`. */
const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g;

function readImports(pattern: string): readonly Import[] {
  const files = globSync(pattern, { cwd: ROOT });
  return files.flatMap((from) => {
    const text = readFileSync(join(ROOT, from), 'utf8');
    return [...text.matchAll(SPECIFIER)].map(([, specifier = '']) => ({
      from,
      to: relative(ROOT, join(ROOT, dirname(from), specifier)),
    }));
  });
}

/** The folder or file of `src` that a path is in; `undefined` outside of `src`. */
function layerOf(path: string): string | undefined {
  const [top, layer] = path.split('/');
  return top === 'src' ? layer : undefined;
}

/** The feature that a path is in; `undefined` outside of features. */
function featureOf(path: string): string | undefined {
  const [, layer, feature = ''] = path.split('/');
  const isFeature = layerOf(path) === 'features' && !FEATURE_INTERFACE.includes(feature);
  return isFeature && layer !== undefined ? feature : undefined;
}

const isDownward = ({ from, to }: Import): boolean =>
  LAYERS.indexOf(layerOf(to) ?? '') >= LAYERS.indexOf(layerOf(from) ?? '');

const format = ({ from, to }: Import): string => `${from} imports ${to}`;

describe('imports', () => {
  const imports = readImports('src/**/*.ts').filter(({ from }) => !from.includes('__generated__'));
  const inside = imports.filter(
    ({ to }) => layerOf(to) !== undefined && !to.includes('__generated__'),
  );

  it('of src are found, and each of its folders has a place among the layers', () => {
    const folders = new Set(globSync('src/*', { cwd: ROOT }).map(layerOf));

    expect(inside.length).toBeGreaterThan(500);
    expect([...folders].filter((folder) => folder !== '__generated__').sort()).toEqual(
      [...LAYERS].sort(),
    );
  });

  it('point down', () => {
    expect(inside.filter((each) => !isDownward(each)).map(format)).toEqual([]);
  });

  it('lead into a feature only from its own folder and from the list of features', () => {
    const foreign = inside.filter(({ from, to }) => {
      const feature = featureOf(to);
      return feature !== undefined && featureOf(from) !== feature && from !== 'src/app/index.ts';
    });

    expect(foreign.map(format)).toEqual([]);
  });

  it('lead to the sandbox only from its feature, and from the sandbox nowhere into src', () => {
    const into = imports.filter(
      ({ from, to }) => to.startsWith('sandbox/') && featureOf(from) !== 'sandbox',
    );
    const outOf = readImports('sandbox/**/*.ts').filter(({ to }) => to.startsWith('src/'));

    expect([...into, ...outOf].map(format)).toEqual([]);
  });

  it('of the client lead nowhere but into the client', () => {
    const own = readImports('client/**/*.ts');

    expect(own.length).toBeGreaterThan(5);
    expect(own.filter(({ to }) => !to.startsWith('client/')).map(format)).toEqual([]);
  });
});

it('the slowest tests of the configuration are files', () => {
  expect(SLOWEST.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});
