/**
 * `npm run dev`: the gateway, restarted when its code, `.env`, its extensions, its adapter or a file
 * that a setting names changes. Folders are watched, and not files as `node --watch` does: editors and
 * git replace a file by another one of the same name.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
/** Settings that name files which are read at the start. */
const SETTINGS = ['EXTENSIONS', 'SANDBOX_DEFINITIONS', 'UPSTREAM_DIALECT', 'TYPED_ALIASES', 'DOCUMENTS'];
/** One save is several events. */
const SETTLED_MS = 200;

const env = { ...(existsSync('.env') && parseEnv(readFileSync('.env', 'utf8'))), ...process.env };
const paths = SETTINGS.flatMap((name) => env[name] || []).map((given) => resolve(given));
const isFolder = (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory();
const folders = [...['src', 'sandbox', 'schema'].map((folder) => join(ROOT, folder)), ...paths.filter(isFolder)];
const files = [resolve('.env'), ...paths.filter((path) => !isFolder(path))];

let watchers = [];
let child;
let timer;
let isRestarting = false;
let isStopping = false;

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop(signal));
watchAll();
start();

/** Watches the folders that there are now. Node's recursive watch loses a file on Linux once another one has replaced it. */
function watchAll() {
  const before = watchers;
  watchers = [...folders.flatMap(foldersIn).map(watchFolder), ...[...files, ...adapters()].flatMap(watchFile)];
  for (const watcher of before) watcher.close();
}

function foldersIn(folder) {
  if (!existsSync(folder)) return [];
  const inner = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [folder, ...inner.flatMap(({ name }) => (name === 'node_modules' ? [] : foldersIn(join(folder, name))))];
}

/** The module that the dialect names now, if it names one. */
function adapters() {
  const dialect = env.UPSTREAM_DIALECT && resolve(env.UPSTREAM_DIALECT);
  try {
    const { adapter } = JSON.parse(readFileSync(dialect, 'utf8'));
    return adapter ? [resolve(dirname(dialect), adapter)] : [];
  } catch {
    // A start says what is wrong with the file.
    return [];
  }
}

/** Hidden files are those of editors. */
function watchFolder(folder) {
  return watch(folder, (_event, name) => name?.startsWith('.') || restartSoon());
}

/** A file, and those beside it of the same kind, which it may import. */
function watchFile(file) {
  if (!existsSync(dirname(file))) return [];
  const kind = extname(file) || basename(file);
  return watch(dirname(file), (_event, name) => name?.endsWith(kind) && restartSoon());
}

function restartSoon() {
  clearTimeout(timer);
  timer = setTimeout(restart, SETTLED_MS);
}

function restart() {
  watchAll();
  if (isRestarting || isStopping) return;
  process.stdout.write('A file has changed. Restarting …\n');
  if (isEnded()) return start();
  isRestarting = true;
  child.once('exit', start);
  child.kill();
}

function start() {
  if (isStopping) return;
  isRestarting = false;
  child = spawn(process.execPath, [join(ROOT, 'caseway.mjs'), ...process.argv.slice(2)], { stdio: 'inherit' });
}

/** Ends with the gateway. Whatever file has changed meanwhile starts nothing. */
function stop(signal) {
  isStopping = true;
  if (isEnded()) process.exit();
  child.once('exit', () => process.exit());
  child.kill(signal);
}

function isEnded() {
  return child.exitCode !== null || child.signalCode !== null;
}
