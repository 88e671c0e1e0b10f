import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * `npm run build [-- FOLDER]`: writes to `dist/`, or to the folder, everything that the package and the image hold besides
 * their npm packages: `npm pack ./dist` makes the package. Its layout is the checkout's, in JavaScript: Node does not strip types
 * below `node_modules`. The playground is built first, unless it is unchanged.
 */
const ROOT = import.meta.dirname;
/** What the running gateway reads besides its code, and the licence. */
const DATA = ['schema', 'sandbox/definitions', 'playground/dist', 'LICENSE'];
/** What the manifest of the package has of the checkout's: no script, and no package for development. */
const PUBLISHED = [
  'name',
  'version',
  'description',
  'keywords',
  'repository',
  'license',
  'private',
  'type',
  'bin',
  'exports',
  'engines',
  'dependencies',
];
/**
 * What only the sandbox and a terminal need, optional in the package. In the checkout they are packages for development, since
 * npm leaves an optional package out, without a word, where the Node that npm runs on is older than the package wants.
 */
const OPTIONAL = ['feelin', 'pino-pretty', 'yaml'];

const [folder = 'dist'] = process.argv.slice(2);
const target = resolve(folder);

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

run('playground/build.mjs');
rmSync(target, { recursive: true, force: true });
compile();
for (const path of DATA) cpSync(join(ROOT, path), join(target, path), { recursive: true });
writeManifest();
writeReadme();

function compile(): void {
  run('node_modules/typescript/bin/tsc', '-p', join(ROOT, 'tsconfig.build.json'), '--outDir', target);
  rmSync(join(target, 'caseway.d.mts'));
  chmodSync(join(target, 'caseway.mjs'), 0o755);
}

function run(script: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [join(ROOT, script), ...args], { stdio: 'inherit' });
}

function writeManifest(): void {
  const published = {
    ...Object.fromEntries(PUBLISHED.map((name) => [name, manifest[name]])),
    optionalDependencies: Object.fromEntries(OPTIONAL.map((name) => [name, manifest.devDependencies[name]])),
  };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`);
}

/** The readme, with links to the files of this version in the repository: the package does not hold them. */
function writeReadme(): void {
  const repository = manifest.repository.url.replace(/^git\+|\.git$/g, '');
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const linked = readme.replaceAll(
    /(!?)\[([^\]]*)\]\((?!https?:|#)([^)]+)\)/g,
    (_link, image, text, path) =>
      `${image}[${text}](${repository}/${image ? 'raw' : 'blob'}/v${manifest.version}/${path})`,
  );
  writeFileSync(join(target, 'README.md'), linked);
}
