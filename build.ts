import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

import { licencesOf } from './tools/licences.mjs';

/**
 * `npm run build [-- FOLDER]`: writes to `dist/`, or to the folder, everything that the package and the image hold besides
 * their npm packages: `npm pack ./dist` makes the package. The code is bundled with the packages that it imports: half of a
 * start would be finding, reading and compiling many small files. The playground is built first, unless it is unchanged.
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
];
/**
 * The packages that are not bundled, and that the package depends on. Extensions import `graphql` as well, of which there must
 * be one; those of OpenTelemetry find parts of theirs at run time.
 */
const INSTALLED = /^(graphql|@opentelemetry\/[^/]+)(?=\/|$)/;
/**
 * What only the sandbox and a terminal need, optional in the package. In the checkout they are packages for development, since
 * npm leaves an optional package out, without a word, where the Node that npm runs on is older than the package wants.
 */
const OPTIONAL = ['feelin', 'pino-pretty', 'yaml'];
/** What Apollo Server imports only where nobody has turned it off, as `src/graphql/apollo-server.ts` has. */
const UNUSED = /\/plugin\/(cacheControl|inlineTrace|landingPage\/default|schemaReporting|usageReporting)\/index\.js$/;

const [folder = 'dist'] = process.argv.slice(2);
const target = resolve(folder);

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
/** The modules that others import from the package, by the manifest's names. */
const publicModules = Object.values<{ readonly 'caseway-source'?: string }>(manifest.exports).flatMap(
  (entry) => entry['caseway-source']?.replace('./', '') ?? [],
);
/** Of them, the one that is CommonJS in the package: jest loads no other. */
const TESTING = 'testing/index';

run('playground/build.mjs');
rmSync(target, { recursive: true, force: true });
const bundled = await bundle();
await bundleTesting();
declare();
for (const path of DATA) cpSync(join(ROOT, path), join(target, path), { recursive: true });
writeCommand();
writeManifest();
writeReadme();
writeFileSync(join(target, 'LICENSES.md'), licencesOf(bundled));

/** Each entry has its place in the checkout's layout. Gives the files of packages that are in the bundle. */
async function bundle(): Promise<string[]> {
  const modules = publicModules.filter((path) => path !== `${TESTING}.ts`);
  const entries = ['src/main.ts', 'src/cli/healthcheck.ts', 'sandbox/index.ts', ...modules];
  const build = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(entries.map((entry) => [entry.replace(/\.ts$/, ''), entry])),
    platform: 'node',
    external: [INSTALLED, UNUSED, ...OPTIONAL],
  });
  const { output } = await build.write({
    dir: target,
    entryFileNames: '[name].js',
    chunkFileNames: 'src/chunks/[name].js',
    comments: false,
  });
  await build.close();
  return output
    .flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
    .filter((id) => id.includes('/node_modules/'));
}

async function bundleTesting(): Promise<void> {
  const build = await rolldown({ cwd: ROOT, input: `${TESTING}.ts`, platform: 'node' });
  await build.write({ file: join(target, `${TESTING}.cjs`), format: 'cjs' });
  await build.close();
}

function declare(): void {
  const options = ['--declaration', '--emitDeclarationOnly', '--strict', '--target', 'es2024', '--module', 'nodenext'];
  const places = ['--rootDir', ROOT, '--outDir', target];
  const files = publicModules.map((path) => join(ROOT, path));
  run('node_modules/typescript/bin/tsc', '--ignoreConfig', ...options, '--types', 'node', ...places, ...files);
  renameSync(join(target, `${TESTING}.d.ts`), join(target, `${TESTING}.d.cts`));
}

function run(script: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [join(ROOT, script), ...args], { stdio: 'inherit' });
}

function writeCommand(): void {
  const command = readFileSync(join(ROOT, 'caseway.mjs'), 'utf8').replaceAll('./src/main.ts', './src/main.js');
  writeFileSync(join(target, 'caseway.mjs'), command);
  chmodSync(join(target, 'caseway.mjs'), 0o755);
}

function writeManifest(): void {
  const dependencies = Object.entries(manifest.dependencies).filter(([name]) => INSTALLED.test(name));
  const published = {
    ...Object.fromEntries(PUBLISHED.map((name) => [name, manifest[name]])),
    dependencies: Object.fromEntries(dependencies),
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
