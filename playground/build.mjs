/**
 * Bundles the playground into `playground/dist/`: the explorer, its editor and the editor's
 * workers. The gateway serves all of them. Plain JavaScript, because `npm ci` may run an old Node.
 *
 * An unchanged playground is not built again. The bundled packages come from the playground's own
 * lockfile. They take 200 MB, so they are removed after the build if they were not installed
 * before. If npm omits development dependencies, the playground is skipped without an error.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const DIST = join(HERE, 'dist');
const DOCS = join(HERE, '../docs');
const WORKERS = {
  editor: 'monaco-editor/esm/vs/editor/editor.worker.js',
  json: 'monaco-editor/esm/vs/language/json/json.worker.js',
  graphql: 'monaco-graphql/esm/graphql.worker.js',
};
/** Modules that the editors import when they load. */
const EDITOR = [
  'monaco-graphql/esm/monaco-editor.js',
  'monaco-graphql/esm/graphqlMode.js',
  'monaco-graphql/esm/lite.js',
];
/** Parts of the editor for other languages, which a query and JSON do not use. */
const UNUSED =
  /^import .*\/(diffEditor\w*|codelens|colorPicker|dropOrPasteInto|inlineCompletions|inlineProgress|inlayHints|linkedEditing|inlineEdits?|rename|sectionHeaders|semanticTokens|stickyScroll|inPlaceReplace|suggestInlineCompletions|referenceSearch|inspectTokens|iPadShowKeyboard)\b.*$/gm;
const MEGABYTE = 1_000_000;

/**
 * Skips unused parts of the editor, the style sheets of its modules, which `graphiql/style.css`
 * contains, and its fonts, because the page has the system's.
 */
const onlyUsed = {
  name: 'only-used',
  setup({ onLoad }) {
    onLoad({ filter: /monaco-editor\/esm\/.*\.css$/ }, () => ({ contents: '', loader: 'empty' }));
    onLoad({ filter: /\/editor\.all\.js$|\/edcore\.main\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(UNUSED, ''),
    }));
    onLoad({ filter: /graphiql\/dist\/style\.css$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/@font-face \{[^}]*\}/g, ''),
      loader: 'css',
    }));
  },
};

const PACKAGES = join(HERE, 'node_modules');
const INSTALL = join(HERE, '../tools/install.mjs');

/**
 * The hash of the sources of `dist/`. It is beside `dist/`, because every file in `dist/` is
 * served.
 */
const BUILT_FROM = join(HERE, 'dist.sha256');

if (process.env['npm_config_omit']?.includes('dev')) {
  say('Playground: not built, because development dependencies are omitted.');
} else {
  await buildOnce();
}

async function buildOnce() {
  const startedAtMs = performance.now();
  const sources = hashSources();
  const isBuilt = existsSync(join(DIST, 'index.html')) && existsSync(BUILT_FROM);
  if (isBuilt && (await readFile(BUILT_FROM, 'utf8')) === sources) {
    say('Playground: unchanged since it was built.');
    return;
  }
  try {
    const files = await withPackages(async () => {
      const bundled = await bundle(await import('esbuild'));
      return [...bundled, await documentation()];
    });
    await write(files);
    await writeFile(BUILT_FROM, sources);
    const megabytes = files.reduce((sum, { contents }) => sum + contents.length, 0) / MEGABYTE;
    const seconds = (performance.now() - startedAtMs) / 1000;
    const size = `${files.length} files, ${megabytes.toFixed(1)} MB`;
    say(`Playground: built in ${seconds.toFixed(1)} s: ${size}.`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    process.stderr.write(`Playground: the build failed. ${reason}\n`);
    process.exitCode = 1;
  }
}

/**
 * Hashes the sources of the bundle: this folder's files, its lockfile for the packages, and the
 * documentation.
 */
function hashSources() {
  const hash = createHash('sha256');
  const isSource = (name) => !['dist', 'dist.sha256', 'node_modules'].includes(name);
  for (const name of readdirSync(HERE).filter(isSource).sort()) hashFile(name);
  for (const name of readdirSync(DOCS).filter(isPage).sort()) hashFile(join('../docs', name));
  hashFile('../tools/licences.mjs');
  return hash.digest('hex');

  function hashFile(path) {
    const absolute = join(HERE, path);
    if (statSync(absolute).isDirectory()) {
      for (const name of readdirSync(absolute).sort()) hashFile(join(path, name));
    } else {
      hash.update(`${path}\0`).update(readFileSync(absolute));
    }
  }
}

/**
 * Installs the packages, runs the build, and removes the packages if they were not installed
 * before.
 */
async function withPackages(build) {
  const isKept = existsSync(PACKAGES);
  execFileSync(process.execPath, [INSTALL, 'playground'], { stdio: 'inherit' });
  try {
    return await build();
  } finally {
    if (!isKept) await rm(PACKAGES, { recursive: true });
  }
}

/** Returns the files of `dist/` except the documentation, as `{ name, contents }`. */
async function bundle({ build }) {
  const shared = {
    absWorkingDir: HERE,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    outdir: DIST,
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    target: ['es2022'],
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  };
  const entryNames = '[name].worker-[hash]';
  const workers = await build({ ...shared, entryPoints: WORKERS, format: 'iife', entryNames });
  const addresses = Object.fromEntries(
    Object.entries(WORKERS).map(([label, module]) => [
      label,
      basename(outputFor(workers.metafile, module)[0]),
    ]),
  );
  const search = await build({
    ...shared,
    entryPoints: { docs: 'docs.ts' },
    format: 'esm',
    entryNames: '[name]',
  });
  const client = await build({
    ...shared,
    entryPoints: { caseway: 'main.tsx' },
    format: 'esm',
    splitting: true,
    jsx: 'automatic',
    loader: { '.graphql': 'text' },
    define: { ...shared.define, WORKERS: JSON.stringify(addresses) },
    plugins: [onlyUsed],
  });
  const { licencesOf } = await import('../tools/licences.mjs');
  const bundled = [workers, search, client].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const licences = licencesOf(bundled.map((file) => HERE + file));
  return [...workers.outputFiles, ...search.outputFiles, ...client.outputFiles]
    .map(({ path, contents }) => ({ name: basename(path), contents }))
    .concat(
      await page(client),
      { name: 'licenses.txt', contents: Buffer.from(licences) },
      { name: 'favicon.svg', contents: await readFile(join(HERE, 'favicon.svg')) },
    );
}

/**
 * Returns `index.html` with the names of the bundled files. The parts of the script are loaded with
 * it. The editor is loaded after it, because the page is shown without the editor.
 */
async function page({ metafile }) {
  const [script, { cssBundle }] = outputFor(metafile, 'main.tsx');
  const parts = new Set();
  const addImports = (path) => {
    for (const { kind, path: part } of metafile.outputs[path].imports) {
      if (kind !== 'import-statement' || parts.has(part)) continue;
      parts.add(part);
      addImports(part);
    }
  };
  addImports(script);
  const links = Array.from(parts, (path) => link('modulepreload', path));
  for (const module of EDITOR) {
    const [path] = outputFor(metafile, module);
    parts.add(path);
    addImports(path);
  }
  links.push(...Array.from(parts, (path) => link('prefetch', path)).slice(links.length));
  const html = await readFile(join(HERE, 'index.html'), 'utf8');
  const named = html
    .replace('main.js', basename(script))
    .replace('main.css', basename(cssBundle))
    .replace('<!-- parts -->', links.join('\n    '));
  return { name: 'index.html', contents: Buffer.from(named) };
}

function link(relation, path) {
  return `<link rel="${relation}" href="playground/${basename(path)}" />`;
}

/**
 * Returns `docs.html`: the pages of `docs/`, one after the other. Links between pages lead to
 * sections. Other relative links become plain text.
 */
async function documentation() {
  const { default: createMarkdown } = await import('markdown-it');
  const names = (await readdir(DOCS)).filter((name) => isPage(name) && name !== 'README.md').sort();
  const markdown = createMarkdown();
  markdown.renderer.rules.table_open = () =>
    '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>';
  markdown.renderer.rules.table_close = () => '</table></div>';
  const pages = ['README.md', ...names].map(async (name) => {
    const id = name.replace('.md', '');
    const text = await readFile(join(DOCS, name), 'utf8');
    const linked = text.replace(/\[([^\]]+)\]\((?!http)([^)]*)\)/g, (_link, words, target) => {
      const toPage = /^([\w-]+)\.md(?:#(.+))?$/.exec(target);
      const page = toPage?.[1] ?? id;
      const heading = toPage ? toPage[2] : /^#(.+)$/.exec(target)?.[1];
      if (heading !== undefined) return `[${words}](#${page}--${heading})`;
      return page === id ? words : `[${words}](#${page})`;
    });
    const html = markdown
      .render(linked)
      .replaceAll('<th></th>', '<td></td>')
      .replace(/<pre>/g, '<pre tabindex="0">')
      .replace(/<h([2-6])>(.+?)<\/h/g, (_heading, level, title) => {
        return `<h${level} id="${id}--${slugOf(title)}">${title}</h`;
      });
    const title = /^# (.+)$/m.exec(text)?.[1] ?? id;
    const link = `<li><a href="#${id}">${title}</a></li>`;
    return { link, section: `<section id="${id}">\n${html}</section>` };
  });
  const [first, ...others] = await Promise.all(pages);
  const style = await readFile(join(HERE, 'docs.css'), 'utf8');
  const byTitle = others.toSorted((a, b) => a.link.localeCompare(b.link));
  const html = (await readFile(join(HERE, 'docs.html'), 'utf8'))
    .replace('<link rel="stylesheet" href="docs.css" />', () => `<style>${style}</style>`)
    .replace('<!-- contents -->', () => [first, ...byTitle].map(({ link }) => link).join('\n'))
    .replace('<!-- sections -->', () =>
      [first, ...others].map(({ section }) => section).join('\n'),
    );
  return { name: 'docs.html', contents: Buffer.from(html) };
}

function isPage(name) {
  return name.endsWith('.md');
}

/** Returns the id of a heading, in GitHub's format. */
function slugOf(title) {
  const text = title.replace(/<[^>]+>|&\w+;/g, '').toLowerCase();
  return text.replace(/[^\w\- ]/g, '').replaceAll(' ', '-');
}

/** Returns the path and the metadata of an entry point's output. */
function outputFor(metafile, entryPoint) {
  const found = Object.entries(metafile.outputs).find(([, output]) =>
    output.entryPoint?.endsWith(entryPoint),
  );
  if (found === undefined) throw new Error(`No output for ${entryPoint}.`);
  return found;
}

/** Replaces `dist/`. */
async function write(files) {
  await rm(DIST, { recursive: true, force: true });
  await mkdir(DIST, { recursive: true });
  await Promise.all(files.map(({ name, contents }) => writeFile(join(DIST, name), contents)));
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
