import { GraphQLSchema } from 'graphql';

import { counter, type Facts, gauge, type StatusLine } from '../../core/facts.ts';
import type { Log } from '../../core/log.ts';
import type { GatewayParts } from '../../feature.ts';
import type { SchemaManager } from '../../graphql/apollo-server.ts';
import type { MissingTypes } from '../../graphql/errors.ts';
import type { RuleKey } from '../../upstream/records.ts';
import { type Composed, type ComposeOptions, compareDefinitions, composeSchema } from './compose.ts';
import {
  createDefinitionReader,
  type DefinitionReader,
  type DefinitionSet,
  isSameSet,
  watchDefinitions,
} from './definitions.ts';
import type { Aliases, FormNames } from './form-names.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';
import type { TypedForm } from './typed-form.ts';

/** The settings of the types of forms. */
interface TypedGraphConfig {
  readonly isIncluded: (formId: string) => boolean;
  /** The rules that get mutations of their own, each once. */
  readonly rules: readonly RuleKey[];
  readonly aliases: Aliases | undefined;
  readonly snapshotFile: string | undefined;
  /** How often definitions are read again, in milliseconds. */
  readonly watchMs: number;
}

type TypedGraphOptions = TypedGraphConfig & Pick<GatewayParts, 'dialect' | 'service' | 'graph' | 'facts' | 'log'>;

/** How long a start waits for the platform's definitions. */
const START_TIMEOUT_MS = 5_000;
/** Definitions are old when so many rounds of reading them have passed. */
const OLD_ROUNDS = 3;

/**
 * Reads the form definitions, adds the types that are made of them to the schema, and keeps these up to date. Where they
 * cannot be read, the schema is the generic one until they are.
 *
 * @returns what stops it.
 */
export async function openTypedGraph(options: TypedGraphOptions): Promise<() => void> {
  const { dialect, aliases, isIncluded, rules: ruleKeys, snapshotFile, service, graph, facts, log } = options;
  const snapshot = snapshotFile === undefined ? undefined : openSnapshot(snapshotFile, dialect);
  const unread = new Set<string>();
  const onUnread = (form: string, err: Error) => {
    unread.add(form);
    log.warn({ form, err }, 'the definition of a form is unreadable');
  };
  const reader = service && createDefinitionReader({ service, ruleKeys, isIncluded, onUnread });
  const reading = followReading(log, options.watchMs);
  const save = async (definitions: DefinitionSet): Promise<void> => {
    await snapshot?.save(definitions).catch((err: unknown) => log.warn({ err }, 'TYPED_SNAPSHOT cannot be written'));
  };

  const saved = snapshot && (await readSnapshot(snapshot, options));
  reader?.remember(saved?.forms ?? []);
  const read = reader && (await readFirst(reader, reading));
  if (read) await save(read);
  reading.isKnown ||= saved !== undefined || reader === undefined;
  graph.missing = reading.missing;

  const history = createHistory({ dialect, aliases, ruleKeys }, log);
  if (saved) history.begin(saved);
  history.definitions = read ?? saved;
  graph.addStep('platform', history.compose);
  report(facts, history, unread, reader && reading);
  if (reader === undefined) return () => undefined;

  const { stop } = watchDefinitions({
    definitions: reader,
    everyMs: options.watchMs,
    ...reading,
    isKnown: read !== undefined,
    onRead: async (next) => {
      const isChanged = await history.replace(next, graph);
      reading.onRead();
      if (isChanged) await save(next);
    },
  });
  return stop;
}

/** The schema that was served, and its changes. */
type History = ReturnType<typeof createHistory>;

function createHistory(options: ComposeOptions, log: Log) {
  let served: Version | undefined;
  let logged: Composed['problems'] = [];
  let renames = 0;

  const reportRenames = (before: Version, after: Version): void => {
    for (const rename of findRenames(before, after)) {
      renames++;
      log.warn(rename, 'a served name has changed because a new form claims it; the alias restores it');
    }
  };

  const history = {
    /** Those of the schema that is made next; `undefined` until they were read. */
    definitions: undefined as DefinitionSet | undefined,
    state: () => ({
      renames,
      forms: served?.composed.forms ?? [],
      problems: served?.composed.problems ?? [],
    }),
    /** Takes what was served before the start, so that a name that has changed since is told. */
    begin(definitions: DefinitionSet): void {
      served = { definitions, composed: composeSchema(definitions.forms, { ...options, rules: definitions.rules }) };
    },
    /** The step of the schema. */
    compose(base: GraphQLSchema): GraphQLSchema {
      const { definitions = NONE } = history;
      const composed = composeSchema(definitions.forms, { ...options, rules: definitions.rules }, base);
      const next = { definitions, composed };
      logProblems(composed.problems, log, logged);
      logged = composed.problems;
      if (served && !isSameSet(served.definitions, definitions)) reportRenames(served, next);
      served = next;
      return history.definitions ? composed.schema : markPartial(composed.schema);
    },
    /** Resolves to whether the definitions differ, once new requests are answered by them. The log has the changes of the graph. */
    async replace(definitions: DefinitionSet, graph: SchemaManager): Promise<boolean> {
      const before = served;
      const isFirst = history.definitions === undefined;
      if (before && !isFirst && isSameSet(before.definitions, definitions)) return false;
      history.definitions = definitions;
      await graph.refresh();
      if (isFirst) log.info({ forms: served?.composed.forms.length }, 'the form definitions have been read');
      if (before && served && !isFirst) await logChanges(before, served, options, log);
      return true;
    },
  };
  return history;
}

const NONE: DefinitionSet = { forms: [], rules: [] };

/** Says in the schema that types are lacking. */
const markPartial = (schema: GraphQLSchema): GraphQLSchema => {
  const { extensions, ...config } = schema.toConfig();
  return new GraphQLSchema({ ...config, extensions: { ...extensions, isPartial: true }, assumeValid: true });
};

/**
 * @param unread forms whose definitions could not be read.
 * @param reading absent where nothing is read from the platform.
 */
function report({ status, gauges }: Facts, history: History, unread: Set<string>, reading?: Reading): void {
  status.push(() => {
    const { forms, problems } = history.state();
    for (const { formId } of forms) unread.delete(formId);
    const unreadable = [...unread].map((formId) => ({ formId, reason: 'its definition cannot be read' }));
    return [...problems, ...unreadable].map(describeProblem);
  });
  gauges.push(counter('caseway_renamed_forms_total', RENAMED, () => history.state().renames));
  if (reading === undefined) return;
  gauges.push(
    gauge('caseway_typed_forms', 'Forms with types of their own.', () => history.state().forms.length),
    gauge('caseway_definitions_age_seconds', AGE, () => reading.ageMs() / 1_000),
  );
}

const RENAMED =
  'Number of forms whose names in the graph changed because a new form claims them; the log has the alias that restores each name.';
const AGE =
  'Time since the form definitions were last read from the platform, in seconds; since startup before they are.';

/** How the reading of definitions goes. */
type Reading = ReturnType<typeof followReading>;

function followReading(log: Log, watchMs: number) {
  let readAtMs = performance.now();
  let retryAtMs = readAtMs;
  let error: unknown;
  const reading = {
    /** Whether they were read once, from the platform or a snapshot, or none are to be read. */
    isKnown: false,
    /** How long ago they were last read from the platform, in milliseconds; since the start where they were never read. */
    ageMs: () => performance.now() - readAtMs,
    missing: (): MissingTypes | undefined =>
      reading.isKnown ? undefined : { error, retryAfterMs: Math.max(0, Math.ceil(retryAtMs - performance.now())) },
    onRead() {
      reading.isKnown = true;
      readAtMs = performance.now();
    },
    onFailed(err: unknown) {
      error = err;
      const ageMs = reading.ageMs();
      const ageSeconds = Math.round(ageMs / 1_000);
      if (!reading.isKnown) log.warn({ err, advice: UNREADY }, UNREADABLE);
      else
        log.warn({ err, ageSeconds }, ageMs > OLD_ROUNDS * watchMs ? `${UNREADABLE}, and have grown old` : UNREADABLE);
    },
    onPause(ms: number) {
      retryAtMs = performance.now() + ms;
    },
  };
  return reading;
}

const UNREADABLE = 'the form definitions cannot be read from the platform';
const UNREADY =
  'The gateway is not ready until they are read. With TYPED_FORMS=none it serves the generic graph without them.';

async function readFirst(reader: DefinitionReader, reading: Reading): Promise<DefinitionSet | undefined> {
  try {
    const read = await reader.read({ signal: AbortSignal.timeout(START_TIMEOUT_MS) });
    reading.onRead();
    return read;
  } catch (err) {
    reading.onFailed(err);
    return undefined;
  }
}

async function readSnapshot(
  snapshot: Snapshot,
  { isIncluded, log }: TypedGraphOptions,
): Promise<DefinitionSet | undefined> {
  try {
    const saved = await snapshot.load();
    return saved && { ...saved, forms: saved.forms.filter(({ formId }) => isIncluded(formId)) };
  } catch (err) {
    log.warn({ err }, 'TYPED_SNAPSHOT cannot be read');
    return undefined;
  }
}

interface Version {
  readonly definitions: DefinitionSet;
  readonly composed: Composed;
}

function describeProblem(problem: Composed['problems'][number]): StatusLine {
  const { field, reason } = problem;
  const subject = 'rule' in problem ? `Rule ${problem.rule}` : `Form ${problem.formId}`;
  return { title: field === undefined ? subject : `${subject}, field ${field}`, text: `stays generic: ${reason}` };
}

/** How many changes are logged one by one. */
const MAX_CHANGES = 100;

/** Logs what changes in the graph. */
async function logChanges(before: Version, after: Version, options: ComposeOptions, log: Log): Promise<void> {
  const renamed = renamedForms(before.composed, after.composed);
  const changes = await compareDefinitions(before.definitions, after.definitions, { ...options, renamed });
  for (const { severity, place, message } of changes.slice(0, MAX_CHANGES)) {
    log[severity === 'breaking' ? 'warn' : 'info']({ severity, place, change: message }, 'the graph has changed');
  }
  log.info({ changes: changes.length }, 'the graph follows the definitions');
}

/** Logs which forms and rules cannot be mapped, and why; not those that were logged before. */
function logProblems(problems: Composed['problems'], log: Log, logged: Composed['problems']): void {
  const known = new Set(logged.map((problem) => JSON.stringify(problem)));
  for (const problem of problems.filter((each) => !known.has(JSON.stringify(each)))) {
    const { field, reason } = problem;
    if ('rule' in problem) log.warn({ rule: problem.rule, field, reason }, 'a rule stays generic');
    else log.warn({ form: problem.formId, field, reason }, 'a form stays generic');
  }
}

/** A served name that changed because a new form claims it. */
interface Rename {
  readonly form: string;
  readonly was: string;
  readonly is: string;
  /** The `idForm` of the new form. */
  readonly claimedBy: string;
  /** The entry of TYPED_ALIASES that brings the old name back, as JSON. */
  readonly alias: string;
}

/** Gives the forms whose names changed because forms came that were not there before, with the first of those names. */
function findRenames(before: Version, after: Version): readonly Rename[] {
  const known = new Set(before.definitions.forms.map(({ formId }) => formId));
  const added = after.composed.forms.filter(({ formId }) => !known.has(formId));
  if (added.length === 0) return [];
  const served = new Map(before.composed.forms.map(({ formId, names }) => [formId, names]));
  return after.composed.forms.flatMap(({ formId, names }) => {
    const old = served.get(formId);
    return old === undefined ? [] : renameOf(formId, [old, names], added);
  });
}

/** The ids of forms whose names differ. */
function renamedForms(before: Version['composed'], after: Version['composed']): readonly string[] {
  const served = new Map(before.forms.map(({ formId, names }) => [formId, JSON.stringify(entriesOf(names))]));
  return after.forms.flatMap(({ formId, names }) => {
    const old = served.get(formId);
    return old === undefined || old === JSON.stringify(entriesOf(names)) ? [] : formId;
  });
}

function renameOf(
  form: string,
  [old, names]: readonly [FormNames, FormNames],
  added: readonly TypedForm[],
): readonly Rename[] {
  const now = new Map(entriesOf(names));
  const [part, was] = entriesOf(old).find(([key, name]) => now.has(key) && now.get(key) !== name) ?? [];
  const claimant = was && added.find((candidate) => entriesOf(candidate.names).some(([, name]) => isClaim(name, was)));
  if (part === undefined || was === undefined || !claimant) return [];
  const entry = names.type === old.type ? [claimant.formId, otherName(claimant)] : [form, old.type];
  const [formId = '', name = ''] = entry;
  const alias = `${JSON.stringify(formId)}: ${JSON.stringify({ name })}`;
  return [{ form, was, is: now.get(part) ?? '', claimedBy: claimant.formId, alias }];
}

/** Whether a name is this one, or this one with a suffix. */
const isClaim = (name: string, was: string): boolean => name === was || name.startsWith(`${was}_`);

/** A name of a form that leaves those that derive from its own to others. */
const otherName = ({ names }: TypedForm): string => `${names.type.replace(/_.*$/, '')}Form`;

/** All names, by what they name; the type's first. */
function entriesOf({ changes, enums, ...names }: FormNames): readonly (readonly [part: string, name: string])[] {
  return [
    ...Object.entries(names),
    ...[...Object.entries(changes), ...enums].flatMap(([of, parts]) =>
      Object.entries(parts).map(([part, name]): [string, string] => [`${of} ${part}`, name]),
    ),
  ];
}
