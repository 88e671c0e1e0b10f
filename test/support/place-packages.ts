import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Copies the dependencies of a built package from this checkout, by its lockfile. */
export function placePackages(workdir: string, built: string, hasOptional: boolean): void {
  const { dependencies, optionalDependencies }: Manifest = readJson(join(built, 'package.json'));
  const names = Object.keys({ ...dependencies, ...(hasOptional && optionalDependencies) });
  for (const path of findPackages(names)) {
    const from = join(ROOT, path);
    if (!existsSync(from)) continue;
    const filter = (file: string) => !file.slice(from.length).includes('/node_modules');
    cpSync(from, join(workdir, path), { recursive: true, filter });
  }
}

/** Returns the paths of packages and of their dependencies. */
function findPackages(names: readonly string[]): Set<string> {
  const { packages }: { readonly packages: Record<string, Manifest> } = readJson(
    join(ROOT, 'package-lock.json'),
  );
  const paths = new Set<string>();
  const add = (name: string, parent: string): void => {
    const nested = `${parent}/node_modules/${name}`;
    const path = nested in packages ? nested : `node_modules/${name}`;
    if (paths.has(path) || !(path in packages)) return;
    paths.add(path);
    for (const dependency of Object.keys(packages[path]?.dependencies ?? {})) add(dependency, path);
  };
  for (const name of names) add(name, '');
  return paths;
}

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
