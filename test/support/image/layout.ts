import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type Copy, DockerfileParser, type Env } from 'dockerfile-ast';

import type { Lockfile } from '../lockfile.ts';
import { finalOf, sourcesOf } from './rules.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** An image's files in a folder of their own, and how a container of it would start. */
export interface Layout {
  /** The folder that stands for the image's root. */
  readonly root: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  /** Node, then its arguments. */
  readonly start: readonly string[];
  readonly healthcheck: readonly string[];
}

/** Lays out what the Dockerfile's final stage holds, in a folder that everybody may read and nobody but root may change. */
export function layOutImage(): Layout {
  const root = mkdtempSync(join(tmpdir(), 'caseway-image-'));
  const dockerfile = DockerfileParser.parse(read('Dockerfile'));
  const workdir = join(root, finalOf(dockerfile, 'WORKDIR')[0]?.getArgumentsContent() ?? '');
  chmodSync(root, 0o755);
  cpSync(join(ROOT, 'node_modules/node/bin/node'), join(root, 'nodejs/bin/node'), { dereference: true });
  for (const copy of finalOf(dockerfile, 'COPY')) place(copy as Copy, workdir);

  const [entry] = finalOf(dockerfile, 'CMD');
  const [check] = finalOf(dockerfile, 'HEALTHCHECK');
  const inRoot = (command: string[]) => command.map((word) => (word.startsWith('/nodejs/') ? join(root, word) : word));
  return {
    root,
    workdir,
    env: Object.fromEntries(finalOf(dockerfile, 'ENV').flatMap((env) => variablesOf(env as Env))),
    start: inRoot(['/nodejs/bin/node', ...(JSON.parse(entry?.getArgumentsContent() ?? '[]') as string[])]),
    healthcheck: inRoot(JSON.parse(check?.getArgumentsContent()?.replace(/^.*?CMD\s*/, '') ?? '[]') as string[]),
  };
}

const variablesOf = (env: Env) =>
  env.getProperties().map((variable) => [variable.getName(), variable.getValue() ?? '']);

/** Does as one COPY does. What a stage built is taken from where this checkout has it. */
function place(copy: Copy, workdir: string): void {
  const destination = copy.getArguments().at(-1)?.getValue() ?? '';
  for (const source of sourcesOf(copy)) {
    const path = source.replace(/^\/app\//, '');
    const target = join(workdir, destination.endsWith('/') ? join(destination, basename(path)) : destination);
    if (path === 'node_modules') placeProductionPackages(dirname(target));
    else cpSync(join(ROOT, path), target, { recursive: true });
  }
}

/** The packages that `npm ci --omit=dev` installs: all of the lockfile but those for development. */
function placeProductionPackages(workdir: string): void {
  const { packages } = JSON.parse(read('package-lock.json')) as Lockfile;
  const paths = Object.keys(packages).filter((path) => path !== '' && packages[path]?.dev !== true);
  for (const path of paths.filter((candidate) => existsSync(join(ROOT, candidate)))) {
    const from = join(ROOT, path);
    const filter = (file: string) => !file.slice(from.length).includes('/node_modules');
    cpSync(from, join(workdir, path), { recursive: true, filter });
  }
}
