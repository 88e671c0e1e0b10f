import { execFileSync, spawnSync } from 'node:child_process';
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
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createSandbox } from '../../sandbox/index.ts';
import { postGraphql } from '../support/gateway.ts';
import { runMain } from '../support/run.ts';

const ROOT = join(import.meta.dirname, '../..');
const FEATURES = readdirSync(join(ROOT, 'src/features'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** The folder of the copy. Its path stays, so that Node reuses its compile cache. */
let copy: string;
/** A platform outside the gateway, because the embedded one is a feature. */
const platform = createSandbox({ file: ':memory:', requestLimit: 0 });
let platformUrl: string;
beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'caseway-features-'));
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  platformUrl = await platform.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await platform.close();
  rmSync(copy, { recursive: true });
});

/** Copies the gateway without features: their folders, and their lines in `src/app/index.ts`. */
function copyWithout(names: readonly string[]): void {
  for (const path of ['src', 'schema', 'sandbox', 'caseway.mjs', 'package.json', 'tsconfig.json']) {
    rmSync(join(copy, path), { recursive: true, force: true });
    cpSync(join(ROOT, path), join(copy, path), { recursive: true });
  }
  const file = join(copy, 'src/app/index.ts');
  let lines = readFileSync(file, 'utf8').split('\n');
  for (const name of names) {
    rmSync(join(copy, 'src/features', name), { recursive: true });
    // The feature of `typed-graph` is `typedGraph`.
    const exported = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    lines = lines.filter(
      (line) => !line.includes(`/features/${name}/`) && line !== `  ${exported},`,
    );
  }
  writeFileSync(file, lines.join('\n'));
}

/** Compiles the copy. */
function compile() {
  const config = { extends: './tsconfig.json', include: ['src'], exclude: [] };
  writeFileSync(join(copy, 'tsconfig.src.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  // Each run compiles only what differs from the last one.
  const args = [tsc, '-p', 'tsconfig.src.json', '--incremental', '--tsBuildInfoFile', 'built.json'];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' });
  return { status, errors: stdout };
}

/** Starts the copy, reads a form, and stops it. */
async function readForm() {
  const env = {
    UPSTREAM_URL: platformUrl,
    UPSTREAM_USERNAME: 'demo',
    UPSTREAM_PASSWORD: 'demo',
    PORT: '0',
    METRICS_PORT: '0',
    NODE_COMPILE_CACHE: join(copy, 'compiled'),
  };
  const run = runMain([], env, copy, join(copy, 'src/main.ts'));
  const url = await run.printed(/GraphQL at (http:\S+)\/graphql/);
  const { data } = await postGraphql(url, { query: '{ form(formId: "supplier") { name } }' });
  run.stop();
  const { code } = await run.ended;
  return { data, code };
}

/** Exports and members of the core that one feature alone uses. A type stands for its members. */
const SEAMS = [
  // The generic graph checks expected values and shows names. Types of forms supply their own.
  'ExpectedValue isSameJson isUnset OtherFormError FormGraphNames',
  // Values are decoded and compared in one place, for the generic graph as well.
  'ChoiceRecord writeInteger withoutPadding compareDecimals toDecimal',
  // A fact is reported whole, and each page shows a part of it.
  'ReadinessCheck.problem',
  // Observers get a description of a request, a call or a change. Spans and audits use most of it.
  'Arrival OperationReport.savings OperationReport.isFromOperator OutgoingCall OutgoingChange',
  'ChangeOrigin Denial Observers.denied CurrentRequest.who ServerAddress',
  // The meaning of types and fields, from which other parts derive theirs.
  'FormMeaning RootMeaning loadConnection checkSearched costOfLists withContent',
  // A feature may answer an operation, or add to its plan.
  'AdmittedRequest PlannedOperation',
  // A later version of the schema admits a prepared operation, and a tool has its name.
  'PreparedOperation.text PreparedOperation.operationName PreparedOperation.name',
  // Only the core authenticates callers, and reads permissions and trusted documents.
  'FastifyInstance.authenticate Gateway.documents PersistedDocuments.trusted',
  'Authorization Viewer.claims',
  // A response may outlast a session, and the files that admitted it.
  'Caller.sessionKey Caller.touch Caller.accepted EndedSessions.onEnded',
  'Gateway.endedSessions Gateway.files',
  // The resolvers of extensions use the operation that they belong to.
  'OperationContext.isEnded ChangeOptions.origin RequestState.countExtensionCall',
  // Buckets that replicas share, and reserved calls of roles.
  'shortageOf ONLY_COUNTS MemoryBuckets UpstreamFactory.reserveCalls',
  // Changes with a key that other replicas make, and several changes with one key.
  'ChangeOutcome NamedChange SharedRun checkKey checkSame unknownOutcome',
  // Values of extensions may be promises of any kind.
  'toExtensions isPromiseLike',
  // A command may start a gateway.
  'CommandContext.startGateway',
  // Results of cost rules, and of the check of values.
  'LookUpKey NodeKey ConstraintViolation',
  // A document within an operation is checked, fails and is written in the same way.
  'checkRun withoutPlace serializerOf',
  // The search refuses the names that a typed filter leaves out.
  'isFieldEncodable isEncodable',
  // An operation lists its permissions and its searchable fields, and only permissions read them.
  'Permission Operation.fields Operation.hasFormFields List.fields',
  // Values, lists, dates and numbers of the platform are read in one place each.
  'decodeReferences checkNoRows UpstreamFactory.useDefinitions',
  'readDay dayAfter readEpoch',
  // Records hold the platform's definitions, which forms show to clients.
  'RuleRecord.definition ParameterRecord.type FieldDefinition.kind',
].flatMap((names) => names.split(' '));

/** The compiler takes a minute on a busy machine. */
describe('a gateway', { timeout: 180_000 }, () => {
  it.each([
    ...FEATURES.map((name) => ({ what: name, names: [name] })),
    { what: 'any', names: FEATURES },
  ])('compiles and answers without the feature: $what', async ({ names }) => {
    copyWithout(names);

    expect(compile()).toEqual({ status: 0, errors: '' });
    expect(await readForm()).toEqual({ data: { form: { name: 'Supplier' } }, code: 0 });
  });

  it('keeps nothing in the core for one feature alone, except for the listed seams', async () => {
    execFileSync(process.execPath, [join(ROOT, 'tools/install.mjs'), 'tools']);
    const { findUnused } = await import(join(ROOT, 'tools/unused.mjs'));
    const unused: readonly { readonly place: string; readonly feature?: string }[] = findUnused();

    // A place ends with a name, such as `AdmittedRequest.reply`.
    const names = unused
      .filter(({ feature }) => feature !== undefined)
      .map(({ place }) => place.split(' ').at(-1) ?? '');
    const isSeam = (seam: string, name: string) => name === seam || name.startsWith(`${seam}.`);

    expect(names.filter((name) => !SEAMS.some((seam) => isSeam(seam, name)))).toEqual([]);
    expect(SEAMS.filter((seam) => !names.some((name) => isSeam(seam, name)))).toEqual([]);
  });
});
