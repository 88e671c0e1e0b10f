import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';

import { placePackages } from '../support/place-packages.ts';

const ROOT = join(import.meta.dirname, '../..');

/** An image's files in a folder, and the start of a container. */
export interface Layout {
  /** The folder that stands for the image's root. */
  readonly root: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Node, then its arguments. */
  readonly start: readonly string[];
  readonly healthcheck: readonly string[];
}

/** Builds the content of the package and the image into a new folder. */
export function build(): string {
  const built = mkdtempSync(join(tmpdir(), 'caseway-build-'));
  execFileSync(process.execPath, [join(ROOT, 'build.ts'), built]);
  return built;
}

/**
 * Creates the files of a target of the Dockerfile from the build output, in a new folder that
 * everyone may read and only root may change.
 */
export function layOut(target: 'gateway' | 'sandbox', built: string): Layout {
  const read = readTarget(target);
  const readLast = (keyword: string) => read(keyword).at(-1) ?? '';
  const root = mkdtempSync(join(tmpdir(), 'caseway-image-'));
  const node = join(root, 'nodejs/bin/node');
  chmodSync(root, 0o755);
  cpSync(join(ROOT, 'node_modules/node/bin/node'), node, { dereference: true });
  const workdir = join(root, readLast('WORKDIR'));
  for (const copy of read('COPY')) place(copy, workdir, built);

  // One variable to a line: `A=1 B="2 3"`.
  const variables = read('ENV')
    .join(' ')
    .replaceAll(/ (?=\w+=(?:[^"]*"[^"]*")*[^"]*$)/g, '\n');
  const { LD_PRELOAD: _, ...env } = parseEnv(variables);
  const [, ...healthcheck] = JSON.parse(readLast('HEALTHCHECK').replace(/^.*?CMD\s*/, ''));
  return {
    root,
    workdir,
    env,
    start: [node, ...JSON.parse(readLast('CMD'))],
    healthcheck: [node, ...healthcheck],
  };
}

/** Returns a function that reads the arguments of a target's instructions, by keyword. */
function readTarget(target: string): (keyword: string) => string[] {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
  const stages = text.split(/^(?=FROM )/m);
  const names = target === 'sandbox' ? ['gateway', 'sandbox'] : ['gateway'];
  const lines = names.flatMap((name) => {
    const stage = stages.find((one) => one.split('\n')[0]?.endsWith(` AS ${name}`));
    return stage?.split('\n') ?? [];
  });
  return (keyword) =>
    lines
      .filter((line) => line.startsWith(`${keyword} `))
      .map((line) => line.slice(keyword.length + 1));
}

/**
 * Executes one COPY instruction with the installed packages or the build output. The folder of the
 * audit belongs to another user in the image.
 */
function place(copy: string, workdir: string, built: string): void {
  const [source = '', destination = ''] = copy.split(' ').filter((word) => !word.startsWith('--'));
  const target = join(workdir, destination);
  if (source === '/app/dist') cpSync(built, target, { recursive: true });
  else if (source === '/app/node_modules') {
    placePackages(dirname(target), built, copy.includes('=sandbox-dependencies'));
  } else if (source === '/app/audit') mkdirSync(target, { recursive: true });
  // The allocator is of the image's system, not of this one.
  else if (source !== '/libjemalloc.so.2') throw new Error(`COPY ${copy} has no counterpart here.`);
}
