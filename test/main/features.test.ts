import { execFile, execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createSandbox } from '../../sandbox/index.ts';
import { FEATURES } from '../../src/app/index.ts';
import { postGraphql } from '../support/gateway.ts';
import { runMain } from '../support/run.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The files of the gateway, and of the compiler's configuration. */
const TREE = ['src', 'sandbox', 'schema', 'caseway.mjs', 'package.json', 'tsconfig.json'];
/** Returns the names of the features' folders. */
function readNames(root: string): readonly string[] {
  const entries = readdirSync(join(root, 'src/features'), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

const NAMES = readNames(ROOT);

/**
 * The number of copies of the gateway. Each feature is missing in three of six copies, and no two
 * features in the same three. For any two features, one copy has the first without the second, so
 * an unnoticed dependency shows. One copy for each feature would take twice as many.
 */
const COPIES = 6;
const PLACES = Array.from({ length: 2 ** COPIES }, (_, places) =>
  places.toString(2).padStart(COPIES, '0'),
).filter((places) => places.replaceAll('0', '').length === COPIES / 2);
if (PLACES.length < NAMES.length)
  throw new Error('There are more features than copies tell apart: add a copy');
const LACKING = Array.from({ length: COPIES }, (_, copy) =>
  NAMES.filter((_name, index) => PLACES[index]?.[copy] === '1'),
);

/** The folder of every copy. Node and the compiler reuse their caches for unchanged files. */
let folder: string;
/** Node's compile cache. */
let compiled: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'caseway-features-'));
  compiled = join(folder, 'compiled');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Copies the tree without these features: their folders, and the lines of `src/app/index.ts` and
 * `package.json` that name them.
 */
async function copyWithout(names: readonly string[]): Promise<void> {
  for (const path of TREE) {
    rmSync(join(folder, path), { recursive: true, force: true });
    cpSync(join(ROOT, path), join(folder, path), { recursive: true, preserveTimestamps: true });
  }
  for (const name of names) await remove(name);
}

async function remove(name: string): Promise<void> {
  const { commands, exported } = await findFeature(name);
  rmSync(join(folder, 'src/features', name), { recursive: true });
  writeLines(
    join(folder, 'src/app/index.ts'),
    (line) => !line.includes(`/features/${name}/`) && line !== `  ${exported},`,
  );

  const file = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const isNamed = (entry: unknown) =>
    JSON.stringify(entry).includes(`/features/${name}/`) ||
    commands.some((command) => entry === `node caseway.mjs ${command}`);
  for (const part of [manifest.exports, manifest.scripts]) {
    for (const [key, entry] of Object.entries(part)) if (isNamed(entry)) delete part[key];
  }
  writeFileSync(file, JSON.stringify(manifest));
}

/** Returns the exported name of a feature, and the names of its commands. */
async function findFeature(name: string) {
  const module: Record<string, unknown> = await import(
    join(ROOT, 'src/features', name, 'index.ts')
  );
  const feature = FEATURES.find((one) => Object.values(module).includes(one));
  const exported = Object.keys(module).find((key) => module[key] === feature);
  if (!feature || exported === undefined)
    throw new Error(`src/app/index.ts does not list the feature ${name}`);
  return { commands: feature.commands?.map((command) => command.name) ?? [], exported };
}

function writeLines(file: string, isKept: (line: string) => boolean): void {
  writeFileSync(file, readFileSync(file, 'utf8').split('\n').filter(isKept).join('\n'));
}

/** Returns the compiler's errors in `src`, one per line. */
async function compile(): Promise<string> {
  writeFileSync(
    join(folder, 'tsconfig.src.json'),
    '{ "extends": "./tsconfig.json", "include": ["src"], "exclude": [] }',
  );
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '-p', 'tsconfig.src.json', '--incremental', '--tsBuildInfoFile', 'built.json'];
  const run = promisify(execFile)(process.execPath, args, { cwd: folder });
  return run.then(
    () => '',
    ({ stdout, stderr }) => stdout + stderr,
  );
}

/** A platform outside the gateway, because the embedded one is a feature that may be missing. */
const sandbox = createSandbox({ file: ':memory:', requestLimit: 0 });
const [{ username, password } = { username: '', password: '' }] = sandbox.users;
let platformUrl: string;
beforeAll(async () => {
  platformUrl = await sandbox.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(sandbox.close);

/** Starts the gateway, reads a form, and stops it. */
async function start() {
  const login = { UPSTREAM_USERNAME: username, UPSTREAM_PASSWORD: password };
  const env = {
    UPSTREAM_URL: platformUrl,
    ...login,
    PORT: '0',
    METRICS_PORT: '0',
    NODE_COMPILE_CACHE: compiled,
  };
  const run = runMain([], env, folder, join(folder, 'src/main.ts'));
  const url = await run.printed(/GraphQL at (http:\S+)\/graphql/);
  const { data } = await postGraphql(
    url,
    JSON.stringify({ query: '{ form(formId: "purchase-request") { name } }' }),
  );
  run.stop();
  const { code } = await run.ended;
  return { data, code };
}

/** A declaration with no user, or with one feature as its only user. */
interface UnusedPlace {
  readonly place: string;
  readonly feature: string | undefined;
}

/** Lists unused declarations in `src`, and those that one feature alone uses. */
async function findUnused(): Promise<readonly UnusedPlace[]> {
  execFileSync(process.execPath, [join(ROOT, 'tools/install.mjs'), 'tools']);
  const tool = await import(join(ROOT, 'tools/unused.mjs'));
  return tool.findUnused();
}

/** Declarations of the core for one feature alone, and the reason. */
const SEAMS: readonly (readonly [names: string, reason: string])[] = [
  [
    'ExpectedValue isSameJson isUnset OtherFormError FormGraphNames',
    'The generic graph checks expected values and shows names; types of forms supply their own.',
  ],
  [
    'ChoiceRecord writeInteger withoutPadding compareDecimals toDecimal',
    'A field and its numbers are decoded once, for the generic graph as well.',
  ],
  [
    'Gauge.type counter ReadinessCheck.problem StatusLine',
    'Whoever reports a fact states all of it; each page shows its part.',
  ],
  [
    'Arrival OperationReport.savings OperationReport.isFromOperator OutgoingCall OutgoingChange ChangeOrigin Denial Observers.denied CurrentRequest.who RequestIds.traceId ServerAddress',
    'Observers are told what a request, a call or a change is; a span or an audit has most of it.',
  ],
  [
    'FormMeaning ChangeMeaning RootMeaning GraphQLFieldExtensions.isOwn readsOne readsList loadConnection checkSearched costOfLists withContent',
    'What types and fields mean is written once, for any who derive.',
  ],
  [
    'AdmittedRequest PlannedOperation',
    'All that is known of an operation when something else answers it, or adds to its plan.',
  ],
  [
    'PreparedOperation.text PreparedOperation.operationName PreparedOperation.name',
    'A later version of the schema admits it by these, and a tool has its name.',
  ],
  [
    'FastifyInstance.authenticate Gateway.documents PersistedDocuments.trusted ConfiguredFeature.needsDocuments Gateway.authorization Authorization CallerPermissions Permissions.schemaOf Permissions.mayRead Viewer.claims',
    'Only the core knows who calls, what they may do, and what is trusted; whoever needs it outside of an operation asks.',
  ],
  [
    'Caller.sessionKey Caller.touch Caller.accepted Caller.isCurrent EndedSessions.onEnded Gateway.endedSessions Gateway.files Reload.onReplaced',
    'An answer may outlast a session, and the files that let it in.',
  ],
  [
    'OperationContext.operation OperationContext.isEnded OperationContext.failedAfterChange ChangeOptions.origin RequestState.countExtensionCall',
    'Resolvers of others know their operation, and end, fail and count with it.',
  ],
  [
    'shortageOf ONLY_COUNTS MemoryBuckets UpstreamFactory.reserveCalls',
    'Buckets that replicas share give the shortage that a process finds in its own, and roles have reserves in them.',
  ],
  [
    'ChangeOutcome NamedChange SharedRun checkKey checkSame unknownOutcome',
    'Whoever makes changes of a key elsewhere, or several of one, does with them what a process does with its own.',
  ],
  ['toExtensions', 'What fields mean is written alike.'],
  ['isPromiseLike', 'What others give may be a promise of any kind.'],
  ['CommandContext.startGateway', 'A command may start a gateway of its own.'],
  ['LookUpKey NodeKey ConstraintViolation', 'What a rule of cost, and a check of values, give.'],
  [
    'checkRun withoutPlace serializerOf',
    'A document within an operation is checked, fails and is written as that is.',
  ],
  ['isFieldEncodable isEncodable', 'The search refuses the names that a typed filter leaves out.'],
  [
    'Permission Operation.fields Operation.hasFormFields List.fields',
    'An operation says what it needs, and by what its list may be searched, and only permissions ask.',
  ],
  [
    'decodeReferences toItems unreadableValue checkNoRows UpstreamFactory.useDefinitions',
    'Values and lists of the platform are read in one place each, whoever needs them.',
  ],
  [
    'readDay dayAfter readEpoch withoutTrailingZeros',
    'Dates and numbers in texts are read in one place each.',
  ],
  [
    'FieldRecord.definition FieldRecord.isMultiple RuleRecord.definition ParameterRecord.type',
    'Records hold what the platform said, which forms show to clients.',
  ],
];

/**
 * Whether a seam names a place. `AdmittedRequest` names `src/http/graphql-route.ts member
 * AdmittedRequest.reply`.
 */
const isOf = (seams: string, place: string) => {
  const name = place.split(' ').at(-1) ?? '';
  return seams.split(' ').some((seam) => name === seam || name.startsWith(`${seam}.`));
};

const ANSWER = { data: { form: { name: 'Purchase request' } }, code: 0 };

/** The compiler takes a minute on a busy machine. */
describe('a gateway', { timeout: 180_000 }, () => {
  it.each([...LACKING, NAMES].map((names) => [names.join(', '), names] as const))(
    'compiles and answers without %s',
    async (_names, names) => {
      await copyWithout(names);

      expect(await compile()).toBe('');
      expect(readNames(folder)).toEqual(NAMES.filter((name) => !names.includes(name)));
      expect(await start()).toEqual(ANSWER);
    },
  );

  it('keeps nothing in the core for one feature alone, but for the listed seams', async () => {
    const unused = await findUnused();

    const kept = unused.filter(({ feature }) => feature !== undefined);
    expect(kept.filter(({ place }) => !SEAMS.some(([names]) => isOf(names, place)))).toEqual([]);
    expect(SEAMS.filter(([names]) => !kept.some(({ place }) => isOf(names, place)))).toEqual([]);
  });
});
