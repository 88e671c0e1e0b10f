import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';

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

/** Creates the files of the Dockerfile's final stage in a folder that everyone may read and only root may change. */
export function layOutImage(): Layout {
  const root = mkdtempSync(join(tmpdir(), 'caseway-image-'));
  const all = readFinalStage();
  const one = (keyword: string) => all(keyword)[0] ?? '';
  const workdir = join(root, one('WORKDIR'));
  chmodSync(root, 0o755);
  cpSync(join(ROOT, 'node_modules/node/bin/node'), join(root, 'nodejs/bin/node'), { dereference: true });
  for (const copy of all('COPY')) place(copy, workdir);

  const commandOf = (text: string) =>
    (JSON.parse(text) as string[]).map((word) => (word.startsWith('/nodejs/') ? join(root, word) : word));
  return {
    root,
    workdir,
    env: { ...parseEnv(all('ENV').map(linesOf).join('\n')) } as Record<string, string>,
    start: [join(root, 'nodejs/bin/node'), ...commandOf(one('CMD'))],
    healthcheck: commandOf(one('HEALTHCHECK').replace(/^.*?CMD\s*/, '')),
  };
}

/** The arguments of the final stage's instructions, by keyword. */
function readFinalStage(): (keyword: string) => string[] {
  const lines = read('Dockerfile').replaceAll('\\\n', ' ').split('\n');
  const stage = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
  return (keyword) =>
    stage.filter((line) => line.startsWith(`${keyword} `)).map((line) => line.slice(keyword.length).trim());
}

/** `A=1 B="2 3"` as one variable to a line. */
const linesOf = (variables: string) => variables.replaceAll(/\s+(?=\w+=(?:[^"]*"[^"]*")*[^"]*$)/g, '\n');

/** Does as one COPY does, of what a stage installed or built. */
function place(copy: string, workdir: string): void {
  const [source = '', destination = ''] = copy.split(/\s+/).filter((word) => !word.startsWith('--'));
  const target = join(workdir, destination);
  if (source === '/app/node_modules') placeProductionPackages(dirname(target));
  else if (source === '/app/dist') buildInto(target);
  else throw new Error(`It is not known how to lay out COPY ${copy}.`);
}

/** Builds beside what is there already. */
function buildInto(folder: string): void {
  const built = mkdtempSync(join(tmpdir(), 'caseway-build-'));
  execFileSync(process.execPath, [join(ROOT, 'build.ts'), built]);
  cpSync(built, folder, { recursive: true });
  rmSync(built, { recursive: true });
}

/** The packages that `npm ci --omit=dev` installs: all of the lockfile but those for development. */
export function placeProductionPackages(workdir: string): void {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { dev?: boolean }> };
  const paths = Object.keys(packages).filter((path) => path !== '' && packages[path]?.dev !== true);
  for (const path of paths.filter((candidate) => existsSync(join(ROOT, candidate)))) {
    const from = join(ROOT, path);
    const filter = (file: string) => !file.slice(from.length).includes('/node_modules');
    cpSync(from, join(workdir, path), { recursive: true, filter });
  }
}
