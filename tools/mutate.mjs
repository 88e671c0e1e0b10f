/**
 * Changes lines of `src` one at a time, and counts how many of the changes a test of `npm test`
 * notices. `--help` prints the options and exit codes.
 *
 * All changes are written into one copy of the tree. Each is disabled until `MUTANT` has its
 * number, so one run of the tests finds the test files that reach each change.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseAst } from 'rolldown/parseAst';

const USAGE = `npm run mutate [-- OPTIONS]

  --seed N     chooses the lines (1)
  --count N    the number of changed lines (100)
  --only A,B   runs only the changes with these numbers
  --seconds N  the time limit for the tests of a change (300)

Exit codes: 0 if the tests notice at least 95 % of the changes, 1 if they notice fewer,
2 if an option is invalid or the tests do not run.
`;
const ROOT = join(import.meta.dirname, '..');
const MIN_NOTICED = 0.95;
/** Folders that git ignores and that the tests need. */
const LINKED = ['node_modules', 'playground/node_modules', 'playground/dist', 'tools/node_modules'];
/** Generated code, and code that only tests with processes reach. */
const LEFT_OUT = /__generated__|^src\/(main\.ts$|cli\/)/;
const OPERATORS = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
};
/**
 * Loaded into each process of the tests. A change that is reached outside a test, for example by an
 * import, may affect every test file: its file is `*`.
 */
const SWITCH = `
import { appendFileSync } from 'node:fs';
const reached = new Set();
globalThis.mutant = (number) => {
  const test = globalThis.__vitest_worker__?.current;
  const line = number + ' ' + (test?.type === 'test' ? test.file.filepath : '*') + '\\n';
  if (!process.env.MUTANT && !reached.has(line)) {
    reached.add(line);
    appendFileSync(process.env.MUTANTS_REACHED, line);
  }
  return process.env.MUTANT === String(number);
};
`;

const options = readOptions();
const copy = mkdtempSync(join(tmpdir(), 'caseway-mutate-'));
process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

const reachedFile = join(copy, 'reached.txt');
const reportFile = join(copy, 'report.json');
const mutants = chooseMutants();
createCopy();

print(`Finding the tests that reach ${mutants.length} changes …`);
const baseline = await runTests([]);
if (!baseline) fail('The tests do not run without a change.');
for (const { name } of baseline.testResults.filter(({ status }) => status === 'failed')) {
  print(`left out, because it fails without a change: ${name}`);
}
/** The test files that pass without a change, the quickest first. */
const testFiles = baseline.testResults
  .filter(({ status }) => status === 'passed')
  .toSorted((first, second) => durationOf(first) - durationOf(second))
  .map(({ name }) => name);
const reached = readReached();

let noticed = 0;
const chosen = mutants.filter(({ number }) => options.only?.includes(number) ?? true);
for (const [index, mutant] of chosen.entries()) {
  const { isNoticed, reason } = await tryMutant(mutant);
  if (isNoticed) noticed++;
  const { number, file, line, before, after } = mutant;
  print(`${index + 1}/${chosen.length} ${isNoticed ? 'noticed' : 'SURVIVED'} #${number}`);
  print(`  ${file}:${line}  ${before}  →  ${after}`);
  print(`  ${reason}`);
}
print(`${noticed} of ${chosen.length} changes noticed`);
process.exitCode = noticed / chosen.length >= MIN_NOTICED ? 0 : 1;

function readOptions() {
  const text = { type: 'string' };
  try {
    const { values } = parseArgs({
      options: {
        seed: { ...text, default: '1' },
        count: { ...text, default: '100' },
        seconds: { ...text, default: '300' },
        only: text,
        help: { type: 'boolean' },
      },
    });
    if (values.help) {
      process.stdout.write(USAGE);
      process.exit(0);
    }
    const only = values.only?.split(',').map(Number);
    const [seed, count, seconds] = [values.seed, values.count, values.seconds].map(Number);
    if (![seed, count, seconds, ...(only ?? [])].every(Number.isSafeInteger)) {
      throw new Error('Each option is an integer, and --only a list of integers.');
    }
    return { seed, count, seconds, only };
  } catch ({ message }) {
    return fail(`${message}\n\n${USAGE}`);
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

/** Returns random changes. No two are on one line, and no change is inside another. */
function chooseMutants() {
  const files = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) => !LEFT_OUT.test(file));
  const candidates = files.toSorted().flatMap(findMutants);
  const random = createRandom(options.seed);
  const mutants = [];
  while (mutants.length < options.count && candidates.length > 0) {
    const [candidate] = candidates.splice(Math.floor(random() * candidates.length), 1);
    const isFree = mutants.every(
      ({ file, line, start, end }) =>
        file !== candidate.file ||
        (line !== candidate.line && (end <= candidate.start || start >= candidate.end)),
    );
    if (isFree) mutants.push({ ...candidate, number: mutants.length + 1 });
  }
  return mutants;
}

/** Returns mulberry32, a generator of numbers from 0 to 1 with a seed. */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns all possible changes of a file. */
function findMutants(file) {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const mutants = [];

  const visit = (node) => {
    for (const [target, after] of changesOf(node, text)) {
      const { start, end } = target;
      const line = text.slice(0, start).split('\n').length;
      mutants.push({ file, line, start, end, before: text.slice(start, end), after });
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parseAst(text, { lang: 'ts' }, file));
  return mutants;
}

/** Returns pairs of an expression and its replacement. */
function changesOf(node, text) {
  const source = ({ start, end }) => text.slice(start, end);
  const toUndefined = (target) => (source(target) === 'undefined' ? [] : [[target, 'undefined']]);
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const operator = OPERATORS[node.operator];
      // Without parentheses, `a && b` as an operand of `??` is a syntax error.
      return operator ? [[node, `(${source(node.left)}) ${operator} (${source(node.right)})`]] : [];
    }
    case 'IfStatement':
    case 'WhileStatement':
    case 'ConditionalExpression':
      return [[node.test, `!(${source(node.test)})`]];
    case 'ReturnStatement':
      return node.argument ? toUndefined(node.argument) : [];
    case 'ArrowFunctionExpression':
      return node.body.type === 'BlockStatement' ? [] : toUndefined(node.body);
    case 'Literal':
      if (typeof node.value === 'boolean') return [[node, String(!node.value)]];
      return [0, 1, 2].includes(node.value) ? [[node, String(node.value + 1)]] : [];
    default:
      return [];
  }
}

/** Returns the expressions and statements inside a node, without types and names. */
function childrenOf(node) {
  const isName = (key) => key === 'key' && !node.computed;
  return Object.entries(node)
    .filter(([key]) => !isName(key))
    .flatMap(([, value]) => value)
    .filter((value) => typeof value?.type === 'string')
    .map((value) => (/^TS(As|Satisfies|NonNull)/.test(value.type) ? value.expression : value))
    .filter(({ type }) => !type.startsWith('TS'));
}

function createCopy() {
  const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  const files = git('ls-files', '--cached', '--others', '--exclude-standard').trim().split('\n');
  for (const file of files) {
    if (existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(copy, file));
  }
  for (const folder of LINKED) {
    if (existsSync(join(ROOT, folder))) symlinkSync(join(ROOT, folder), join(copy, folder));
  }
  execFileSync('git', ['init', '--quiet'], { cwd: copy });
  execFileSync('git', ['add', '--all'], { cwd: copy });
  writeFileSync(join(copy, 'switch.mjs'), SWITCH);
  writeFileSync(reachedFile, '');

  // From the end, so that the places of earlier changes stay right.
  const fromEnd = mutants.toSorted((first, second) => second.start - first.start);
  for (const { file, start, end, before, after, number } of fromEnd) {
    const text = readFileSync(join(copy, file), 'utf8');
    const choice = `(globalThis.mutant?.(${number}) ? (${after}) : (${before}))`;
    writeFileSync(join(copy, file), text.slice(0, start) + choice + text.slice(end));
  }
}

/**
 * Runs test files, or all test files if the list is empty. Returns vitest's report, or `undefined` if the tests
 * of a change have been stopped at the time limit.
 */
async function runTests(files, mutant) {
  rmSync(reportFile, { force: true });
  const { CI, ...env } = process.env;
  const child = spawn(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      ...['run', '--project', 'gateway', '--reporter', 'json', '--outputFile', reportFile],
      ...(mutant ? ['--bail', '1', '--testTimeout', '30000', '--hookTimeout', '30000'] : []),
      ...files,
    ],
    {
      cwd: copy,
      detached: true,
      stdio: 'ignore',
      env: {
        ...env,
        NODE_OPTIONS: `--import=${join(copy, 'switch.mjs')}`,
        MUTANTS_REACHED: reachedFile,
        MUTANT: mutant ?? '',
      },
    },
  );
  const stop = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All processes of the group have ended.
    }
  };
  process.once('exit', stop);
  // A change may cause an endless loop, which no time limit of vitest stops.
  const timer = mutant && setTimeout(stop, options.seconds * 1_000);
  await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  stop();
  process.off('exit', stop);
  return existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, 'utf8')) : undefined;
}

/** Returns the test files that reach each change, by its number. */
function readReached() {
  const lines = readFileSync(reachedFile, 'utf8').trim().split('\n');
  const pairs = lines.map((line) => line.split(' '));
  const byNumber = Map.groupBy(pairs, ([number]) => Number(number));
  return new Map(
    [...byNumber].map(([number, found]) => {
      const files = found.map(([, file]) => file);
      const isEverywhere = files.includes('*');
      return [number, testFiles.filter((file) => isEverywhere || files.includes(file))];
    }),
  );
}

function durationOf({ startTime, endTime }) {
  return endTime - startTime;
}

async function tryMutant({ number }) {
  const files = reached.get(number) ?? [];
  if (files.length === 0) return { isNoticed: false, reason: 'no test reaches it' };
  // Most changes are noticed by one of the first files.
  for (const batch of [files.slice(0, 5), files.slice(5)]) {
    if (batch.length === 0) continue;
    const report = await runTests(batch, String(number));
    if (!report) return { isNoticed: true, reason: `no end in ${options.seconds} s` };
    if (!report.success) return { isNoticed: true, reason: firstFailureOf(report) };
  }
  return { isNoticed: false, reason: `${files.length} test files pass` };
}

function firstFailureOf({ testResults }) {
  const isFailed = ({ status }) => status === 'failed';
  // A file that was stopped by the failure of another counts as failed too.
  const { name, assertionResults = [] } =
    testResults.find(({ assertionResults: results = [] }) => results.some(isFailed)) ??
    testResults.find(isFailed) ??
    {};
  const { title, failureMessages = [] } = assertionResults.find(isFailed) ?? {};
  const [message] = failureMessages.join().split('\n');
  return `${name}: ${title}: ${message}`;
}
