/**
 * Builds both targets of the Dockerfile and runs the tests of `test/image/built.test.ts` against
 * them (`npm run image`). The build context has the files that git knows, and decoys that must not
 * get into an image.
 *
 * Uses Docker with the Dockerfile's base images, or else buildah with local stand-ins for them. The
 * last image of each target and the stand-ins are kept.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const TARGETS = {
  gateway: 'localhost/caseway-checked',
  sandbox: 'localhost/caseway-sandbox-checked',
};
/** Files that `.dockerignore` must exclude: secrets and data. */
const DECOYS = [
  '.env',
  'id_rsa',
  'data/sandbox.sqlite',
  'deploy/secrets/upstream-password',
  'docs/notes.json',
];
/**
 * EX_UNAVAILABLE of sysexits.h: this machine cannot build an image. The image may still be right.
 */
const UNAVAILABLE = 69;

if (process.argv.length > 2) {
  process.stderr.write(
    'npm run image takes no arguments. It builds both images and tests them; see docs/releasing.md.\n',
  );
  process.exit(2);
}
const isLocal = !succeeds('docker', ['info']);
const files = listFiles();
if (isLocal) checkTools();

const context = mkdtempSync(join(tmpdir(), 'caseway-context-'));
// A failed build ends the process, so the folder is removed on exit.
process.once('exit', () => rmSync(context, { recursive: true, force: true }));
writeContext();
const dockerfile = isLocal ? writeLocalDockerfile() : join(context, 'Dockerfile');
for (const [target, tag] of Object.entries(TARGETS)) build(target, tag);
const vitest = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'image'];
const { status } = spawnSync(process.execPath, vitest, {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, IMAGE_IS_BUILT: '1' },
});
process.exitCode = status ?? 1;

function build(target: string, tag: string): void {
  const startedAtMs = performance.now();
  const engine = isLocal ? 'buildah' : 'docker';
  const replaced = idOf(engine, tag);
  const common = ['-f', dockerfile, '--target', target, '-t', tag, context];
  if (isLocal)
    run('buildah', [
      'bud',
      '--isolation',
      'chroot',
      '--network',
      'host',
      '--format',
      'docker',
      ...common,
    ]);
  else run('docker', ['build', ...common]);
  if (replaced && replaced !== idOf(engine, tag)) spawnSync(engine, ['rmi', replaced]);
  say(`Built the target ${target} in ${((performance.now() - startedAtMs) / 1_000).toFixed(0)} s.`);
}

function checkTools(): void {
  const missing = ['buildah', 'podman', 'conmon', 'runc', 'debootstrap'].filter(
    (name) => !succeeds('which', [name]),
  );
  if (missing.length > 0) {
    stop(`Install Docker, or ${missing.join(', ')} (on Debian with apt-get as root).`);
  }
  if (process.getuid?.() !== 0)
    stop('Without Docker the base images are built locally: run it as root.');
  const bases = ['localhost/base-node', 'localhost/base-run'];
  const areBuilt = bases.every((name) => succeeds('buildah', ['inspect', '--type', 'image', name]));
  const builtVersion = areBuilt ? versionOfBase() : '';
  if (areBuilt && builtVersion === '') stop('podman cannot run a container on this machine.');
  if (builtVersion === process.version) return;

  say('Building stand-ins for the base images …');
  const script = join(import.meta.dirname, 'bases.sh');
  const { status } = spawnSync('bash', [script], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) stop('The base images cannot be built on this machine.');
  if (versionOfBase() === '') stop('podman cannot run a container on this machine.');
}

/** Returns the version of Node in the stand-in, or an empty text if podman cannot run it. */
function versionOfBase(): string {
  const options = [
    '--cgroup-manager',
    'cgroupfs',
    'run',
    '--rm',
    '--runtime',
    'runc',
    '--network',
    'host',
  ];
  const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1000:1000'];
  const args = [...options, ...limits, 'localhost/base-run', '--version'];
  return spawnSync('podman', args, { encoding: 'utf8' }).stdout?.trim() ?? '';
}

/** Returns the existing files that git tracks or does not ignore. */
function listFiles(): string[] {
  const listed = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: ROOT },
  );
  if (listed.status !== 0)
    stop(`git cannot list the files: ${listed.stderr ?? 'git is not installed'}`);
  return listed.stdout
    .toString()
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(ROOT, file)));
}

/** Copies the files and the decoys to the build context. */
function writeContext(): void {
  for (const file of files) cpSync(join(ROOT, file), join(context, file));
  for (const file of DECOYS) {
    mkdirSync(dirname(join(context, file)), { recursive: true });
    writeFileSync(join(context, file), 'DECOY');
  }
}

/** Writes a copy of the Dockerfile with the stand-ins as base images. */
function writeLocalDockerfile(): string {
  const file = join(context, 'Dockerfile.local');
  const text = readFileSync(join(context, 'Dockerfile'), 'utf8')
    .replace(/^FROM node:\S+/gm, 'FROM localhost/base-node')
    .replace(/^FROM gcr\.io\S+/gm, 'FROM localhost/base-run');
  writeFileSync(file, text);
  return file;
}

/** Returns the id of an image, or an empty text if the image does not exist. */
function idOf(engine: string, tag: string): string {
  return spawnSync(engine, ['images', '--quiet', '--no-trunc', tag], {
    encoding: 'utf8',
  }).stdout.trim();
}

function succeeds(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

/** Runs a program silently. If it fails, prints its output and exits. */
function run(program: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status === 0) return;
  process.stderr.write(`${stdout}${stderr}\n${program} failed.\n`);
  process.exit(1);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function stop(why: string): never {
  process.stderr.write(`The image cannot be built on this machine. ${why}\n`);
  process.exit(UNAVAILABLE);
}
