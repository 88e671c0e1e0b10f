import type { Import, ParsedFile } from './source.ts';

/** From the ground up: a file may import from its own floor and from those below it. */
const FLOORS: readonly (readonly string[])[] = [
  ['telemetry/'],
  ['upstream/'],
  ['store/'],
  ['loaders/'],
  ['graph/', '__generated__/'],
  ['edge/'],
  ['wiring/'],
  ['commands/'],
  ['main.ts'],
];
/** The lowest floor of those that put the house together: they read settings, and may open the sandbox. */
const WIRING = FLOORS.findIndex((places) => places.includes('wiring/'));

/** Packages that only these places may import. A name that ends in `/` stands for a whole scope. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  undici: ['upstream/', 'wiring/'],
  ioredis: ['store/'],
  'prom-client': ['telemetry/'],
  'lru-cache': ['store/', 'edge/'],
  jose: ['edge/'],
  graphql: ['graph/', '__generated__/'],
  'graphql-jit': ['graph/'],
  'graphql-scalars': ['graph/'],
  '@graphql-tools/': ['graph/'],
  '@graphql-inspector/core': ['graph/'],
  '@apollo/server': ['graph/', 'edge/'],
  fastify: ['edge/', 'sandbox/'],
  '@fastify/': ['edge/', 'sandbox/'],
  feelin: ['sandbox/'],
  yaml: ['sandbox/'],
  'node:sqlite': ['sandbox/'],
};

const isAt = (file: string, places: readonly string[]) => places.some((place) => file.startsWith(place));
const say = ({ file, target = 'a computed name' }: Import) => `${file} imports ${target}`;
const importsOf = (files: readonly ParsedFile[]) => files.flatMap(({ imports }) => imports);

/** The number of a file's floor; the settings may look down as far as the upstream's dialect. -1 where there is none. */
function floorOf(file: string): number {
  return file.startsWith('settings/') ? 1 : FLOORS.findIndex((places) => isAt(file, places));
}

/** Files that stand nowhere. */
export function homeless(files: readonly ParsedFile[]): string[] {
  return files.map(({ file }) => file).filter((file) => floorOf(file) === -1 && !file.startsWith('sandbox/'));
}

/** Imports that point up, and imports of the sandbox or by it. */
export function upward(files: readonly ParsedFile[]): string[] {
  return importsOf(files)
    .filter((edge) => edge.isOurs && !isDownward(edge))
    .map(say);
}

function isDownward({ file, target = '', isTypeOnly }: Import): boolean {
  if (file.startsWith('sandbox/')) return target.startsWith('sandbox/');
  if (target.startsWith('sandbox/')) return floorOf(file) >= WIRING;
  if (target.startsWith('settings/')) return isTypeOnly || file.startsWith('settings/') || floorOf(file) >= WIRING;
  return floorOf(target) !== -1 && floorOf(target) <= floorOf(file);
}

/** Imports of a package from outside its owner's rooms. */
export function trespassing(files: readonly ParsedFile[]): string[] {
  return importsOf(files)
    .filter(({ file, target, isOurs }) => !isOurs && !isAt(file, ownersOf(target ?? '') ?? [file]))
    .map(say);
}

function ownersOf(target: string): readonly string[] | undefined {
  const isOwned = (name: string) => target === name || target.startsWith(name.endsWith('/') ? name : `${name}/`);
  return Object.entries(OWNERS).find(([name]) => isOwned(name))?.[1];
}

/** Imports of packages that production does not install, and of names that only the run time knows. */
export function undeclared(files: readonly ParsedFile[], dependencies: readonly string[]): string[] {
  const isDeclared = (target: string) =>
    target.startsWith('node:') || dependencies.some((name) => target === name || target.startsWith(`${name}/`));
  return importsOf(files)
    .filter(({ target, isOurs }) => !isOurs && !(target !== undefined && isDeclared(target)))
    .map(say);
}

/** Circles of files that need each other at run time, each said once. */
export function circular(files: readonly ParsedFile[]): string[] {
  const next = new Map(
    files.map(({ file, imports }) => [
      file,
      imports.filter(({ isTypeOnly }) => !isTypeOnly).map(({ target }) => target),
    ]),
  );
  const isReached = (goal: string, from: string, seen = new Set<string>()): boolean =>
    (next.get(from) ?? []).some((target = '') => {
      if (target === goal) return true;
      if (seen.has(target)) return false;
      seen.add(target);
      return isReached(goal, target, seen);
    });
  return [...next.keys()].filter((file) => isReached(file, file)).map((file) => `${file} needs itself`);
}
