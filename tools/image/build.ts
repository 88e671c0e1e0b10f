import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * `npm run image` builds both targets of the Dockerfile, from the files that git knows and some that nobody should find in an
 * image, and then runs the tests of `test/image/built.test.ts` against them. By Docker with the Dockerfile's bases, else by buildah
 * with stand-ins of them. It leaves the last image of each target, and the stand-ins.
 */
const ROOT = join(import.meta.dirname, '../..');
const TARGETS = { gateway: 'localhost/caseway-checked', sandbox: 'localhost/caseway-sandbox-checked' };
/** What `.dockerignore` keeps out: secrets and data that lie about. */
const DECOYS = ['.env', 'id_rsa', 'data/sandbox.sqlite', 'deploy/secrets/upstream-password', 'docs/notes.json'];
/** As EX_UNAVAILABLE: the machine cannot build, which says nothing of the image. */
const UNAVAILABLE = 69;

if (process.argv.length > 2) {
  process.stderr.write(
    'npm run image takes no arguments: it builds both targets, and tests them. docs/releasing.md has more.\n',
  );
  process.exit(2);
}
const isLocal = !succeeds('docker', ['info']);
const files = listFiles();
if (isLocal) checkTools();

const context = mkdtempSync(join(tmpdir(), 'caseway-context-'));
// A build that fails ends the process.
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
  if (isLocal) run('buildah', ['bud', '--isolation', 'chroot', '--network', 'host', '--format', 'docker', ...common]);
  else run('docker', ['build', ...common]);
  if (replaced && replaced !== idOf(engine, tag)) spawnSync(engine, ['rmi', replaced]);
  say(`Built the target ${target} in ${((performance.now() - startedAtMs) / 1_000).toFixed(0)} s.`);
}

function checkTools(): void {
  const missing = ['buildah', 'podman', 'conmon', 'runc', 'debootstrap'].filter((name) => !succeeds('which', [name]));
  if (missing.length > 0) stop(`Neither Docker nor ${missing.join(', ')}: install them, on Debian by apt-get as root.`);
  if (process.getuid?.() !== 0) stop('Without Docker it takes root, to make the base images.');
  const bases = ['localhost/base-node', 'localhost/base-run'];
  const areMade = bases.every((name) => succeeds('buildah', ['inspect', '--type', 'image', name]));
  const made = areMade ? versionOfBase() : '';
  if (areMade && made === '') stop('podman runs nothing here.');
  if (made === process.version) return;
  say('Making stand-ins of the base images …');
  const { status } = spawnSync('bash', [join(import.meta.dirname, 'bases.sh')], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) stop('The base images cannot be made here.');
  if (versionOfBase() === '') stop('podman runs nothing here.');
}

/** The version of Node in the stand-in; empty where podman cannot run it. */
function versionOfBase(): string {
  const options = ['--cgroup-manager', 'cgroupfs', 'run', '--rm', '--runtime', 'runc', '--network', 'host'];
  const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1000:1000'];
  const args = [...options, ...limits, 'localhost/base-run', '--version'];
  return spawnSync('podman', args, { encoding: 'utf8' }).stdout?.trim() ?? '';
}

/** The files that git knows and that are there. */
function listFiles(): string[] {
  const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  if (listed.status !== 0) stop(`git lists no files: ${listed.stderr ?? 'it is not installed'}`);
  return listed.stdout
    .toString()
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(ROOT, file)));
}

/** The files, and decoys. */
function writeContext(): void {
  for (const file of files) cpSync(join(ROOT, file), join(context, file));
  for (const file of DECOYS) {
    mkdirSync(dirname(join(context, file)), { recursive: true });
    writeFileSync(join(context, file), 'DECOY');
  }
}

/** The Dockerfile with the stand-ins' names, and nothing else replaced. */
function writeLocalDockerfile(): string {
  const file = join(context, 'Dockerfile.local');
  const text = readFileSync(join(context, 'Dockerfile'), 'utf8')
    .replace(/^FROM node:\S+/gm, 'FROM localhost/base-node')
    .replace(/^FROM gcr\.io\S+/gm, 'FROM localhost/base-run');
  writeFileSync(file, text);
  return file;
}

/** Empty where there is no such image. */
function idOf(engine: string, tag: string): string {
  return spawnSync(engine, ['images', '--quiet', '--no-trunc', tag], { encoding: 'utf8' }).stdout.trim();
}

function succeeds(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

/** Runs a program silently; what it said is shown when it fails. */
function run(program: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status === 0) return;
  process.stderr.write(`${stdout}${stderr}\n${program} failed.\n`);
  process.exit(1);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function stop(why: string): never {
  process.stderr.write(`The image cannot be built here. ${why}\n`);
  process.exit(UNAVAILABLE);
}
