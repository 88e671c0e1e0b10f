/**
 * Runs the gateway (`npm run dev`) and restarts it when its code, `.env`, its extensions, its
 * adapter or a file named by a setting changes.
 *
 * Unlike `node --watch` it watches folders, because editors and git replace a file by a new one
 * with the same name.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
/** Settings that name files or folders. The gateway reads them when it starts. */
const SETTINGS = [
  'EXTENSIONS',
  'SANDBOX_DEFINITIONS',
  'UPSTREAM_DIALECT',
  'TYPED_ALIASES',
  'DOCUMENTS',
];
/** Saving one file causes several events, so the restart waits for the last one. */
const SETTLED_MS = 200;

const envFile = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
const env = { ...envFile, ...process.env };
const paths = SETTINGS.flatMap((name) => env[name] || []).map((path) => resolve(path));
const isFolder = (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory();
const codeFolders = ['src', 'sandbox', 'schema'].map((folder) => join(ROOT, folder));
const folders = [...codeFolders, ...paths.filter(isFolder)];
const files = [resolve('.env'), ...paths.filter((path) => !isFolder(path))];

let watchers = [];
let child;
let timer;
let isRestarting = false;
let isStopping = false;

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop(signal));
watchAll();
start();

/** Watches all present folders. On Linux Node's recursive watch loses a file that is replaced. */
function watchAll() {
  const earlier = watchers;
  const folderWatchers = folders.flatMap(foldersIn).map(watchFolder);
  const fileWatchers = [...files, ...adapters()].flatMap(watchFile);
  watchers = [...folderWatchers, ...fileWatchers];
  for (const watcher of earlier) watcher.close();
}

function foldersIn(folder) {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  const inner = entries.filter((entry) => entry.isDirectory() && entry.name !== 'node_modules');
  return [folder, ...inner.flatMap(({ name }) => foldersIn(join(folder, name)))];
}

/** Returns the adapter module in the dialect file, if there is one. */
function adapters() {
  const dialect = env.UPSTREAM_DIALECT && resolve(env.UPSTREAM_DIALECT);
  try {
    const { adapter } = JSON.parse(readFileSync(dialect, 'utf8'));
    return adapter ? [resolve(dirname(dialect), adapter)] : [];
  } catch {
    // The gateway reports the problem when it starts.
    return [];
  }
}

/** Watches a folder. Ignores hidden files, which editors create. */
function watchFolder(folder) {
  return watch(folder, (_event, name) => {
    if (!name?.startsWith('.')) restartSoon();
  });
}

/** Watches a file and the files beside it with its extension, because it may import them. */
function watchFile(file) {
  if (!existsSync(dirname(file))) return [];
  const ending = extname(file) || basename(file);
  return watch(dirname(file), (_event, name) => {
    if (name?.endsWith(ending)) restartSoon();
  });
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
  const args = [join(ROOT, 'caseway.mjs'), ...process.argv.slice(2)];
  child = spawn(process.execPath, args, { stdio: 'inherit' });
}

/** Ends the gateway, then this process. From now on no change restarts the gateway. */
function stop(signal) {
  isStopping = true;
  if (isEnded()) process.exit();
  child.once('exit', () => process.exit());
  child.kill(signal);
}

function isEnded() {
  return child.exitCode !== null || child.signalCode !== null;
}
