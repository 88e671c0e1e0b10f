import { GraphQLSchema } from 'graphql';

import { type Facts, gauge, type StatusLine } from '../../core/facts.ts';
import type { Log } from '../../core/log.ts';
import type { GatewayParts } from '../../feature.ts';
import type { MissingTypes } from '../../graphql/errors.ts';
import type { RuleKey } from '../../upstream/records.ts';
import { type Composed, composeSchema } from './compose.ts';
import {
  changedForms,
  createDefinitionReader,
  type DefinitionReader,
  type DefinitionSet,
  isSameSet,
  watchDefinitions,
} from './definitions.ts';
import { type Aliases, capitalize } from './names.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';
import type { Problem, TypedForm } from './typed-form.ts';

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

  let definitions = read ?? saved;
  // What was served before the start, so that a name that has changed since then is logged.
  let composed = saved && composeSchema(saved.forms, { dialect, aliases });
  let logged: readonly Problem[] = [];
  graph.addStep('platform', (base) => {
    const { forms, rules } = definitions ?? { forms: [], rules: [] };
    const before = composed?.forms ?? [];
    composed = composeSchema(forms, { dialect, aliases, ruleKeys, rules }, base);
    logRenames(before, composed.forms, log);
    logProblems(composed.problems, log, logged);
    logged = composed.problems;
    return definitions ? composed.schema : markPartial(composed.schema);
  });
  report(facts, () => composed, unread, reader && reading);
  if (reader === undefined) return () => undefined;

  /** Resolves once new requests are answered by these definitions. */
  const replace = async (next: DefinitionSet): Promise<void> => {
    const before = definitions;
    if (before && isSameSet(before, next)) return;
    definitions = next;
    await graph.refresh();
    if (before) log.info({ forms: [...changedForms(before.forms, next.forms)] }, 'the graph follows the definitions');
    else log.info({ forms: composed?.forms.length }, 'the form definitions have been read');
    await save(next);
  };
  const { stop } = watchDefinitions({
    definitions: reader,
    everyMs: options.watchMs,
    ...reading,
    isKnown: read !== undefined,
    onRead: async (next) => {
      await replace(next);
      reading.onRead();
    },
  });
  return stop;
}

/** Says in the schema that types are lacking. */
const markPartial = (schema: GraphQLSchema): GraphQLSchema => {
  const { extensions, ...config } = schema.toConfig();
  return new GraphQLSchema({ ...config, extensions: { ...extensions, isPartial: true }, assumeValid: true });
};

/**
 * @param unread forms whose definitions could not be read.
 * @param reading absent where nothing is read from the platform.
 */
function report(
  { status, gauges }: Facts,
  composed: () => Composed | undefined,
  unread: Set<string>,
  reading: Reading | undefined,
): void {
  status.push(() => {
    const { forms = [], problems = [] } = composed() ?? {};
    for (const { formId } of forms) unread.delete(formId);
    const unreadable = [...unread].map((id): Problem => ({ of: 'form', id, reason: 'its definition cannot be read' }));
    return [...problems, ...unreadable].map(describeProblem);
  });
  if (reading === undefined) return;
  gauges.push(
    gauge('caseway_typed_forms', 'Forms with types of their own.', () => composed()?.forms.length ?? 0),
    gauge('caseway_definitions_age_seconds', AGE, () => reading.ageMs() / 1_000),
  );
}

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

const describeProblem = ({ of, id, field, reason }: Problem): StatusLine => ({
  title: `${capitalize(of)} ${id}${field === undefined ? '' : `, field ${field}`}`,
  text: `stays generic: ${reason}`,
});

/** Logs which forms and rules cannot be mapped, and why; not those that were logged before. */
function logProblems(problems: readonly Problem[], log: Log, logged: readonly Problem[]): void {
  const known = new Set(logged.map((problem) => JSON.stringify(problem)));
  for (const problem of problems.filter((each) => !known.has(JSON.stringify(each)))) {
    const { of, id, field, reason } = problem;
    log.warn({ [of]: id, field, reason }, `a ${of} stays generic`);
  }
}

/** Logs each form whose type or list has another name than before; TYPED_ALIASES restores that of a type by this entry. */
function logRenames(before: readonly TypedForm[], after: readonly TypedForm[], log: Log): void {
  const served = new Map(before.map(({ formId, names }) => [formId, names]));
  for (const { formId: form, names } of after) {
    const old = served.get(form) ?? names;
    if (names.type !== old.type) {
      const alias = `${JSON.stringify(form)}: ${JSON.stringify({ name: old.type })}`;
      log.warn({ form, was: old.type, is: names.type, alias }, 'a served name has changed; the alias restores it');
    } else if (names.many !== old.many) {
      log.warn({ form, was: old.many, is: names.many }, 'a served name has changed: another form claims it');
    }
  }
}
