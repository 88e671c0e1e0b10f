import type { GraphQLSchema } from 'graphql';

import { type Facts, formatCount, formatTime, type StatusSection } from '../../core/facts.ts';
import type { Log } from '../../core/log.ts';
import type { SchemaManager } from '../../graphql/apollo-server.ts';
import { findBrokenDocuments, type NamedDocument } from '../../graphql/documents.ts';
import type { MissingTypes } from '../../graphql/errors.ts';
import type { SchemaChange } from '../../graphql/schema-diff.ts';
import type { Dialect } from '../../upstream/dialect.ts';
import type { Upstream } from '../../upstream/index.ts';
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

/** The public schema, and the way to keep a running server's schema up to date. */
export interface TypedSchema {
  readonly schema: GraphQLSchema;
  /** The forms that have types of their own. */
  readonly forms: readonly TypedForm[];
  /** Whether the definitions were read, from the platform or a snapshot. */
  readonly isComplete: boolean;
  /** Why the schema lacks the types of forms; `undefined` once the definitions were read, or where none are to be read. */
  missing(): MissingTypes | undefined;
  /** Replaces the server's schema whenever definitions change, until it is stopped. */
  watch(server: WatchedServer): { stop(): void };
}

/** What a schema has types for, and how it came to be. */
interface SchemaReport {
  /** Counted from 1, the start's. */
  readonly version: number;
  /** How many forms have types of their own. */
  readonly forms: number;
  /** How long ago the definitions were last read from the platform; `undefined` where none are read. */
  readonly age?: DefinitionAge | undefined;
  /** Forms and rules that have none, or lack a field. */
  readonly problems: Composed['problems'];
  /** The last replacements, the latest first. */
  readonly replacements: readonly Replacement[];
}

interface DefinitionAge {
  /** In milliseconds; since the start where they were never read. */
  readonly ms: number;
  /** Whether several rounds of reading have failed meanwhile. */
  readonly isOld: boolean;
}

/** A schema that took the place of another. */
interface Replacement {
  readonly atMs: number;
  readonly changes: readonly SchemaChange[];
}

interface WatchedServer {
  readonly manager: SchemaManager;
  /** The documents that clients may name: the log says which ones a change breaks. */
  readonly documents: () => Iterable<NamedDocument>;
}

interface TypedSchemaOptions {
  readonly isIncluded: (formId: string) => boolean;
  readonly rules: readonly RuleKey[];
  readonly aliases: Aliases | undefined;
  readonly dialect: Dialect;
  readonly snapshotFile: string | undefined;
  /** How often definitions are read again, in milliseconds. */
  readonly watchMs: number;
  /** The platform as the gateway itself sees it; `undefined` where it has no credentials. */
  readonly upstream: Upstream | undefined;
  /** Adds to each schema what is not made of definitions. */
  readonly extend: (schema: GraphQLSchema) => GraphQLSchema;
  readonly log: Log;
  /** Where the schema is reported. */
  readonly facts: Facts | undefined;
}

/** How long a start waits for the platform's definitions. */
const START_TIMEOUT_MS = 5_000;
/** Definitions are old when so many rounds of reading them have passed. */
const OLD_ROUNDS = 3;

/** Reads the form definitions and composes the public schema. Where they cannot be read, it is the generic one. */
export async function openTypedSchema(options: TypedSchemaOptions): Promise<TypedSchema> {
  const { dialect, aliases, isIncluded, rules: ruleKeys, snapshotFile, upstream, log } = options;
  const snapshot = snapshotFile === undefined ? undefined : openSnapshot(snapshotFile, dialect);
  const unread = new Set<string>();
  let renamedForms = 0;
  const onRename = () => void renamedForms++;
  const onUnread = (form: string, err: Error) => {
    unread.add(form);
    log.warn({ form, err }, 'the definition of a form is unreadable');
  };
  const reader = upstream && createDefinitionReader({ upstream, ruleKeys, isIncluded, onUnread });
  const reading = followReading(log, options.watchMs);
  const save = async (definitions: DefinitionSet): Promise<void> => {
    await snapshot?.save(definitions).catch((err: unknown) => log.warn({ err }, 'TYPED_SNAPSHOT cannot be written'));
  };

  const saved = snapshot && (await readSnapshot(snapshot, options));
  reader?.remember(saved?.forms ?? []);
  const read = reader && (await readFirst(reader, reading));
  if (read) await save(read);
  reading.isKnown ||= saved !== undefined || reader === undefined;

  const definitions = read ?? saved ?? { forms: [], rules: [] };
  const compose: ComposeOptions = { dialect, aliases, ruleKeys };
  const composed = composeWhole(definitions, { ...options, compose });
  logProblems(composed.problems, log);
  if (read && saved && !isSameSet(saved, read)) {
    const before = { definitions: saved, composed: composeSchema(saved.forms, { ...compose, rules: saved.rules }) };
    reportRenames(findRenames(before, { definitions, composed }), { log, onRename });
  }

  let served = composed;
  let version = 1;
  let replacements: readonly Replacement[] = [];
  const onReplaced = (next: Composed, changes: readonly SchemaChange[]) => {
    served = next;
    version++;
    replacements = [{ atMs: Date.now(), changes: changes.slice(0, MAX_CHANGES) }, ...replacements].slice(
      0,
      MAX_REPLACEMENTS,
    );
  };

  options.facts?.sections.push(() => {
    for (const { formId } of served.forms) unread.delete(formId);
    const problems = [...unread].map((formId) => ({ formId, reason: 'its definition cannot be read' }));
    const forms = served.forms.length;
    const age = reader && reading.age();
    return describeSchema({ version, forms, age, problems: [...served.problems, ...problems], replacements });
  });
  options.facts?.figures.push({
    name: 'caseway_renamed_forms_total',
    help: 'Number of forms whose names in the graph changed because a new form claims them; the log has the alias that restores each name.',
    type: 'counter',
    read: () => renamedForms,
  });
  if (reader) {
    options.facts?.figures.push(
      {
        name: 'caseway_typed_forms',
        help: 'Forms with types of their own.',
        type: 'gauge',
        read: () => served.forms.length,
      },
      {
        name: 'caseway_definitions_age_seconds',
        help: 'Time since the form definitions were last read from the platform, in seconds; since the start before they are.',
        type: 'gauge',
        read: () => reading.age().ms / 1_000,
      },
    );
  }

  return {
    missing: reading.missing,
    schema: composed.schema,
    forms: composed.forms,
    isComplete: (read ?? saved) !== undefined,
    watch(server) {
      if (reader === undefined) return { stop: () => undefined };
      const reload = createReloader(
        { definitions, composed },
        { ...options, ...server, compose, onRename, onReplaced },
      );
      return watchDefinitions({
        definitions: reader,
        everyMs: options.watchMs,
        ...reading,
        isKnown: read !== undefined,
        onRead: async (next) => {
          const isChanged = await reload(next);
          reading.onRead();
          if (isChanged) await save(next);
        },
      });
    },
  };
}

/** How the reading of definitions goes. */
type Reading = ReturnType<typeof followReading>;

function followReading(log: Log, watchMs: number) {
  let readAtMs = performance.now();
  let retryAtMs = readAtMs;
  let error: unknown;
  const reading = {
    /** Whether they were read once, from the platform or a snapshot, or none are to be read. */
    isKnown: false,
    age(): DefinitionAge {
      const ms = performance.now() - readAtMs;
      return { ms, isOld: ms > OLD_ROUNDS * watchMs };
    },
    missing: (): MissingTypes | undefined =>
      reading.isKnown ? undefined : { error, retryAfterMs: Math.max(0, Math.ceil(retryAtMs - performance.now())) },
    onRead() {
      reading.isKnown = true;
      readAtMs = performance.now();
    },
    onFailed(err: unknown) {
      error = err;
      const { ms, isOld } = reading.age();
      const ageSeconds = Math.round(ms / 1_000);
      if (!reading.isKnown) log.warn({ err, advice: UNREADY }, UNREADABLE);
      else log.warn({ err, ageSeconds }, isOld ? `${UNREADABLE}, and have grown old` : UNREADABLE);
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
  { isIncluded, log }: TypedSchemaOptions,
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

interface ComposeWholeOptions extends Pick<TypedSchemaOptions, 'extend'> {
  readonly compose: ComposeOptions;
}

/** The schema that clients get. */
function composeWhole({ forms, rules }: DefinitionSet, { compose, extend }: ComposeWholeOptions): Composed {
  const composed = composeSchema(forms, { ...compose, rules });
  return { ...composed, schema: extend(composed.schema) };
}

interface ReloaderOptions extends WatchedServer, ComposeWholeOptions, Pick<TypedSchemaOptions, 'log'> {
  readonly onRename: () => void;
  readonly onReplaced: (composed: Composed, changes: readonly SchemaChange[]) => void;
}

function describeSchema({ version, forms, age, problems, replacements }: SchemaReport): StatusSection {
  const changes = replacements.flatMap(({ atMs, changes: all }) =>
    all.map(({ severity, place = '', message }) => [formatTime(atMs), severity, place, message]),
  );
  return {
    title: 'Graph',
    facts: [
      { name: 'Version since startup', value: String(version) },
      { name: 'Forms with types of their own', value: formatCount(forms) },
      ...(age ? [{ name: 'Definitions read', value: formatAge(age.ms), isWarning: age.isOld }] : []),
    ],
    tables: [
      {
        caption: 'Forms and rules that stay generic, or lack a field',
        columns: ['Form or rule', 'Field', 'Reason'],
        rows: problems.map((problem) => [
          'rule' in problem ? problem.rule : problem.formId,
          problem.field ?? '',
          problem.reason,
        ]),
        whenEmpty: 'None.',
      },
      {
        caption: 'Last changes',
        columns: ['At', 'Severity', 'Place', 'Change'],
        rows: changes,
        whenEmpty: 'None since startup.',
      },
    ],
  };
}

const formatAge = (ms: number): string => `${formatCount(Math.round(ms / 1_000))} s ago`;

/** How many changes are logged one by one, and remembered. */
const MAX_CHANGES = 100;
const MAX_REPLACEMENTS = 5;

/**
 * Gives a function that takes definitions in. It resolves to whether they differ, once new requests are answered by them. The
 * log has the changes of the graph, the documents that they break, and the forms that cannot be mapped.
 */
function createReloader(first: Version, options: ReloaderOptions) {
  const { manager, documents, compose, log } = options;
  let version = first;

  return async (definitions: DefinitionSet): Promise<boolean> => {
    if (isSameSet(version.definitions, definitions)) return false;
    const before = version;
    const composed = composeWhole(definitions, options);
    await manager.replace(composed.schema);
    version = { definitions, composed };

    logProblems(composed.problems, log, before.composed.problems);
    reportRenames(findRenames(before, version), options);
    const renamed = renamedForms(before.composed, composed);
    const changes = await compareDefinitions(before.definitions, definitions, { ...compose, renamed });
    options.onReplaced(composed, changes);
    for (const { severity, place, message } of changes.slice(0, MAX_CHANGES)) {
      log[severity === 'breaking' ? 'warn' : 'info']({ severity, place, change: message }, 'the graph has changed');
    }
    log.info({ changes: changes.length }, 'the graph follows the definitions');
    const schemas = { before: before.composed.schema, after: composed.schema };
    for (const { id, problems } of await findBrokenDocuments(documents(), schemas)) {
      log.warn({ document: id, reason: problems.join('; ') }, 'a document is no longer valid');
    }
    return true;
  };
}

function reportRenames(renames: readonly Rename[], { log, onRename }: Pick<ReloaderOptions, 'log' | 'onRename'>): void {
  for (const rename of renames) {
    onRename();
    log.warn(rename, 'a served name has changed because a new form claims it; the alias restores it');
  }
}

/** Logs which forms and rules cannot be mapped, and why; not those that were logged before. */
function logProblems(problems: Composed['problems'], log: Log, logged: Composed['problems'] = []): void {
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
