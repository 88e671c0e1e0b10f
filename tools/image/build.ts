import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * `npm run image` builds both targets of the Dockerfile, from the files that git knows and some that nobody should find in an
 * image, and then runs the tests of `test/image/built.test.ts` against them. By Docker with the Dockerfile's bases; else, or with
 * `--local-bases`, by buildah with stand-ins of them.
 */
const ROOT = join(import.meta.dirname, '../..');
const TARGETS = { gateway: 'localhost/caseway-checked', sandbox: 'localhost/caseway-sandbox-checked' };
/** What `.dockerignore` keeps out: secrets and data that lie about. */
const DECOYS = ['.env', 'id_rsa', 'data/sandbox.sqlite', 'deploy/secrets/upstream-password', 'docs/notes.json'];
/** As EX_UNAVAILABLE: the machine cannot build, which says nothing of the image. */
const UNAVAILABLE = 69;

const { values } = parseArgs({ options: { 'local-bases': { type: 'boolean', default: false } } });
const isLocal = values['local-bases'] || !succeeds('docker', ['info']);

if (isLocal) checkTools();
const context = writeContext();
try {
  const dockerfile = isLocal ? writeLocalDockerfile(context) : join(context, 'Dockerfile');
  for (const [target, tag] of Object.entries(TARGETS)) {
    const startedAtMs = performance.now();
    const common = ['-f', dockerfile, '--target', target, '-t', tag, context];
    if (isLocal) run('buildah', ['bud', '--isolation', 'chroot', '--network', 'host', '--format', 'docker', ...common]);
    else run('docker', ['build', ...common]);
    if (isLocal) handOver(tag, context);
    say(`Built the target ${target} in ${((performance.now() - startedAtMs) / 1_000).toFixed(0)} s.`);
  }
} finally {
  rmSync(context, { recursive: true, force: true });
}

function checkTools(): void {
  const missing = ['buildah', 'podman', 'conmon', 'runc', 'debootstrap'].filter((name) => !succeeds('which', [name]));
  if (missing.length > 0) stop(`Neither Docker nor ${missing.join(', ')}: install them, on Debian by apt-get as root.`);
  if (process.getuid?.() !== 0) stop('Without Docker it takes root, to make the base images.');
  const names = ['localhost/base-node', 'localhost/base-run'];
  if (!names.every((name) => succeeds('buildah', ['inspect', '--type', 'image', name]))) {
    say('Making stand-ins of the base images …');
    const { status } = spawnSync('bash', [join(import.meta.dirname, 'bases.sh')], { cwd: ROOT, stdio: 'inherit' });
    if (status !== 0) stop('The base images cannot be made here.');
  }
  const options = ['--cgroup-manager', 'cgroupfs', 'run', '--rm', '--runtime', 'runc', '--network', 'host'];
  const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1000:1000'];
  if (!succeeds('podman', [...options, ...limits, 'localhost/base-run', '--version']))
    stop('podman runs nothing here.');
}

/** The files that git knows, and decoys. */
function writeContext(): string {
  const folder = mkdtempSync(join(tmpdir(), 'caseway-context-'));
  const known = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const file of known.stdout.toString().split('\0').filter(Boolean)) cpSync(join(ROOT, file), join(folder, file));
  for (const file of DECOYS) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), 'DECOY');
  }
  return folder;
}

/** The Dockerfile with the stand-ins' names, and nothing else replaced. */
function writeLocalDockerfile(context: string): string {
  const file = join(context, 'Dockerfile.local');
  const text = readFileSync(join(context, 'Dockerfile'), 'utf8')
    .replace(/^FROM node:\S+/gm, 'FROM localhost/base-node')
    .replace(/^FROM gcr\.io\S+/gm, 'FROM localhost/base-run');
  writeFileSync(file, text);
  return file;
}

/** podman may keep its images elsewhere than buildah. */
function handOver(tag: string, folder: string): void {
  const archive = join(folder, 'image.tar');
  if (idOf('podman', tag) === idOf('buildah', tag)) return;
  run('buildah', ['push', '-q', tag, `docker-archive:${archive}:${tag}`]);
  run('podman', ['load', '-q', '-i', archive]);
}

function idOf(program: string, tag: string): string {
  return spawnSync(program, ['images', '--quiet', '--no-trunc', tag], { encoding: 'utf8' }).stdout;
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
