/**
 * Builds the package (`npm run build [-- FOLDER]`) in `dist/`, or in the folder. `npm pack ./dist`
 * packs it, and the image contains the same files.
 *
 * The code is bundled with most npm packages, since half of a start would be finding, reading and
 * compiling many small files. Builds the playground first, if it has changed.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

import { licencesOf } from './tools/licences.mjs';

const ROOT = import.meta.dirname;
/** Files that the running gateway reads besides its code, and the licence. */
const DATA = ['schema', 'sandbox/definitions', 'playground/dist', 'LICENSE'];
/**
 * Members of the checkout's manifest that the package keeps. Scripts and development packages are
 * left out.
 */
const PUBLISHED = [
  'name',
  'version',
  'description',
  'keywords',
  'repository',
  'license',
  'type',
  'bin',
  'exports',
  'engines',
  'peerDependencies',
  'peerDependenciesMeta',
];
/**
 * Packages that are not bundled; the package depends on them. Extensions import `graphql` too, and
 * a process must have only one copy of it. OpenTelemetry's packages load parts of themselves at run
 * time.
 */
const INSTALLED = /^(graphql|@opentelemetry\/[^/]+)(?=\/|$)/;
/**
 * Packages that only the sandbox and a terminal need. They are optional in the package, and
 * development packages in the checkout: npm silently leaves out an optional package if it runs on a
 * Node older than the package requires.
 */
const OPTIONAL = ['feelin', 'pino-pretty', 'yaml'];
/**
 * Modules that Apollo Server imports only for plugins that `src/graphql/apollo-server.ts` turns
 * off.
 */
const UNUSED =
  /\/plugin\/(cacheControl|inlineTrace|landingPage\/default|schemaReporting|usageReporting)\/index\.js$/;

const [folder = 'dist'] = process.argv.slice(2);
const target = resolve(folder);

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
/** The modules that the package exports, by the names in the manifest. */
const publicModules = Object.values<{ readonly 'caseway-source'?: string }>(
  manifest.exports,
).flatMap(({ 'caseway-source': source }) => source?.replace('./', '') ?? []);
/**
 * The one exported module that is CommonJS in the package, because jest cannot load other modules.
 */
const TESTING = 'testing/index';
/** The modules that browsers load. They are bundled apart from the gateway. */
const clientModules = publicModules.filter((path) => path.startsWith('client/'));

run('playground/build.mjs');
rmSync(target, { recursive: true, force: true });
const bundled = await bundle();
await bundleClient();
await bundleTesting();
declare();
for (const path of DATA) cpSync(join(ROOT, path), join(target, path), { recursive: true });
writeCommand();
writeManifest();
writeReadme();
writeFileSync(join(target, 'LICENSES.md'), licencesOf(bundled));

/**
 * Bundles the entries. Each gets the same path as in the checkout. Returns the bundled files of npm
 * packages.
 */
async function bundle(): Promise<string[]> {
  const modules = publicModules.filter(
    (path) => path !== `${TESTING}.ts` && !clientModules.includes(path),
  );
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

/** Bundles the client's modules without npm packages, which the application installs itself. */
async function bundleClient(): Promise<void> {
  const build = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(clientModules.map((path) => [path.replace(/\.ts$/, ''), path])),
    platform: 'browser',
    external: /^[^./]/,
  });
  await build.write({
    dir: target,
    entryFileNames: '[name].js',
    chunkFileNames: 'client/chunks/[name].js',
    comments: false,
  });
  await build.close();
}

async function bundleTesting(): Promise<void> {
  const build = await rolldown({ cwd: ROOT, input: `${TESTING}.ts`, platform: 'node' });
  await build.write({ file: join(target, `${TESTING}.cjs`), format: 'cjs' });
  await build.close();
}

function declare(): void {
  const isAdapter = (path: string) => path.startsWith('client/adapters/');
  writeDeclarations(publicModules.filter((path) => !isAdapter(path)));
  // The packages of the adapters are not installed here, so their types cannot be checked.
  writeDeclarations(publicModules.filter(isAdapter), '--noCheck');
  renameSync(join(target, `${TESTING}.d.ts`), join(target, `${TESTING}.d.cts`));
}

function writeDeclarations(modules: readonly string[], ...more: readonly string[]): void {
  const options = [
    '--declaration',
    '--emitDeclarationOnly',
    '--strict',
    '--rewriteRelativeImportExtensions',
    '--target',
    'es2024',
    '--module',
    'nodenext',
  ];
  const places = ['--rootDir', ROOT, '--outDir', target];
  const files = modules.map((path) => join(ROOT, path));
  run(
    'node_modules/typescript/bin/tsc',
    '--ignoreConfig',
    ...options,
    ...more,
    '--types',
    'node',
    ...places,
    ...files,
  );
}

function run(script: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [join(ROOT, script), ...args], { stdio: 'inherit' });
}

function writeCommand(): void {
  const command = readFileSync(join(ROOT, 'caseway.mjs'), 'utf8').replaceAll(
    './src/main.ts',
    './src/main.js',
  );
  writeFileSync(join(target, 'caseway.mjs'), command);
  chmodSync(join(target, 'caseway.mjs'), 0o755);
}

function writeManifest(): void {
  const dependencies = Object.entries(manifest.dependencies).filter(([name]) =>
    INSTALLED.test(name),
  );
  const published = {
    ...Object.fromEntries(PUBLISHED.map((name) => [name, manifest[name]])),
    dependencies: Object.fromEntries(dependencies),
    optionalDependencies: Object.fromEntries(
      OPTIONAL.map((name) => [name, manifest.devDependencies[name]]),
    ),
  };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`);
}

/**
 * Writes the readme. Its relative links become links to the repository at this version, because the
 * package does not contain those files.
 */
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
