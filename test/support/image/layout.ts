import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parseEnv } from 'node:util';

const ROOT = join(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** An image's files in a folder of their own, and how a container of it would start. */
export interface Layout {
  /** The folder that stands for the image's root. */
  readonly root: string;
  /** The folder with the build output. */
  readonly built: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  /** Node, then its arguments. */
  readonly start: readonly string[];
  readonly healthcheck: readonly string[];
}

/**
 * Creates the files of the Dockerfile's stage `gateway`, the image, in a folder that everyone may
 * read and only root may change.
 */
export function layOutImage(): Layout {
  const root = mkdtempSync(join(tmpdir(), 'caseway-image-'));
  const all = readStage('gateway');
  const one = (keyword: string) => all(keyword)[0] ?? '';
  const workdir = join(root, one('WORKDIR'));
  chmodSync(root, 0o755);
  cpSync(join(ROOT, 'node_modules/node/bin/node'), join(root, 'nodejs/bin/node'), {
    dereference: true,
  });
  const built = build();
  for (const copy of all('COPY')) place(copy, workdir, built);
  // The allocator is of the image's system, not of this one.
  const { LD_PRELOAD: _, ...env } = parseEnv(all('ENV').map(linesOf).join('\n'));
  return {
    root,
    built,
    workdir,
    env: env as Record<string, string>,
    start: [join(root, 'nodejs/bin/node'), ...commandOf(one('CMD'), root)],
    healthcheck: commandOf(one('HEALTHCHECK').replace(/^.*?CMD\s*/, ''), root),
  };
}

/**
 * Creates the files of the target `sandbox` in a new folder: the image's files and the additional
 * ones.
 */
export function layOutSandbox(image: Layout): Layout {
  const root = mkdtempSync(join(tmpdir(), 'caseway-image-'));
  const all = readStage('sandbox');
  const workdir = join(root, relative(image.root, image.workdir));
  cpSync(image.root, root, { recursive: true });
  chmodSync(root, 0o755);
  for (const copy of all('COPY')) place(copy, workdir, image.built);
  const [command = ''] = all('CMD');
  return {
    ...image,
    root,
    workdir,
    start: [join(root, 'nodejs/bin/node'), ...commandOf(command, root)],
  };
}

/** The words of a command, with the program where it lies here. */
const commandOf = (text: string, root: string): string[] =>
  (JSON.parse(text) as string[]).map((word) =>
    word.startsWith('/nodejs/') ? join(root, word) : word,
  );

/** The arguments of a stage's instructions, by keyword. */
function readStage(name: string): (keyword: string) => string[] {
  const stages = read('Dockerfile')
    .replaceAll('\\\n', ' ')
    .split(/^(?=FROM )/m);
  const lines =
    stages.find((stage) => stage.split('\n')[0]?.endsWith(` AS ${name}`))?.split('\n') ?? [];
  return (keyword) =>
    lines
      .filter((line) => line.startsWith(`${keyword} `))
      .map((line) => line.slice(keyword.length).trim());
}

/** `A=1 B="2 3"` as one variable to a line. */
const linesOf = (variables: string) =>
  variables.replaceAll(/\s+(?=\w+=(?:[^"]*"[^"]*")*[^"]*$)/g, '\n');

/**
 * Executes one COPY instruction with the installed packages or the build output. The folder of the
 * audit belongs to another user in the image.
 */
function place(copy: string, workdir: string, built: string): void {
  const [source = '', destination = ''] = copy
    .split(/\s+/)
    .filter((word) => !word.startsWith('--'));
  const target = join(workdir, destination);
  if (source === '/app/dist') cpSync(built, target, { recursive: true });
  else if (source === '/app/node_modules') {
    placePackages(dirname(target), built, copy.includes('=sandbox-dependencies'));
  } else if (source === '/libjemalloc.so.2') return;
  else if (source === '/app/audit') mkdirSync(target, { recursive: true });
  else throw new Error(`It is not known how to lay out COPY ${copy}.`);
}

/** Builds the content of the package and the image into a new folder. */
export function build(): string {
  const built = mkdtempSync(join(tmpdir(), 'caseway-build-'));
  execFileSync(process.execPath, [join(ROOT, 'build.ts'), built]);
  return built;
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Copies the dependencies of a built package from this checkout, by its lockfile. */
export function placePackages(workdir: string, built: string, hasOptional: boolean): void {
  const { dependencies, optionalDependencies }: Manifest = JSON.parse(
    readFileSync(join(built, 'package.json'), 'utf8'),
  );
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, Manifest>;
  };
  const names = Object.keys({ ...dependencies, ...(hasOptional && optionalDependencies) });
  for (const path of withDependencies(names, packages)) {
    if (!existsSync(join(ROOT, path))) continue;
    const from = join(ROOT, path);
    const filter = (file: string) => !file.slice(from.length).includes('/node_modules');
    cpSync(from, join(workdir, path), { recursive: true, filter });
  }
}

/** Returns the paths of packages and of their dependencies. */
function withDependencies(
  names: readonly string[],
  packages: Readonly<Record<string, Manifest>>,
): Set<string> {
  const paths = new Set<string>();
  const add = (name: string, from: string): void => {
    const path = [`${from}/node_modules/${name}`, `node_modules/${name}`].find(
      (candidate) => candidate in packages,
    );
    if (path === undefined || paths.has(path)) return;
    paths.add(path);
    for (const dependency of Object.keys(packages[path]?.dependencies ?? {})) add(dependency, path);
  };
  for (const name of names) add(name, '');
  return paths;
}
