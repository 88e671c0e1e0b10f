import { GraphQLSchema } from 'graphql';

import { codeOrMessage } from '../../core/errors.ts';
import { type Facts, gauge, type StatusLine } from '../../core/facts.ts';
import type { Log } from '../../core/log.ts';
import type { RuleKey } from '../../upstream/records.ts';
import type { Gateway } from '../feature.ts';
import { type Composed, composeSchema } from './compose.ts';
import {
  changedForms,
  createDefinitionReader,
  type DefinitionSet,
  type Following,
  followDefinitions,
  isSameSet,
} from './definitions.ts';
import { type Aliases, capitalize } from './names.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';
import type { Problem, TypedForm } from './typed-form.ts';

interface TypedGraphOptions
  extends Pick<Gateway, 'dialect' | 'upstream' | 'service' | 'graph' | 'facts' | 'log'> {
  readonly isIncluded: (formId: string) => boolean;
  /** The rules that get mutations, each once. */
  readonly rules: readonly RuleKey[];
  readonly aliases: Aliases | undefined;
  readonly snapshotFile: string | undefined;
  /** The interval between two reads of the definitions, in milliseconds. */
  readonly watchMs: number;
}

/**
 * Reads the form definitions, adds their types to the schema, and keeps the schema up to date.
 * Until the definitions can be read, the schema is the generic one.
 *
 * @returns a function that stops it.
 */
export async function openTypedGraph(options: TypedGraphOptions): Promise<() => void> {
  const {
    dialect,
    upstream,
    aliases,
    isIncluded,
    rules: ruleKeys,
    snapshotFile,
    service,
    graph,
    facts,
    log,
  } = options;
  const snapshot = snapshotFile === undefined ? undefined : openSnapshot(snapshotFile, dialect);
  const unread = new Set<string>();
  const onUnread = (form: string | undefined, err: Error) => {
    if (form !== undefined) unread.add(form);
    log.warn({ form, err }, 'the definition of a form is unreadable');
  };
  const reader = service && createDefinitionReader({ service, ruleKeys, isIncluded, onUnread });
  const save = async (definitions: DefinitionSet): Promise<void> => {
    await snapshot
      ?.save(definitions)
      .catch((error: unknown) => warnOfSnapshot('written', error, options));
  };

  const saved = snapshot && (await readSnapshot(snapshot, options));
  reader?.remember(saved?.forms ?? []);
  const isKnown = saved !== undefined;
  const following = reader && followDefinitions({ reader, everyMs: options.watchMs, isKnown, log });
  let definitions = saved;
  await following?.readFirst(async (read) => {
    definitions = read;
    await save(read);
  });
  graph.missing = () => following?.missing();

  // The forms of the last run, so that a name that has changed since then is logged.
  let composed = saved && composeSchema(saved.forms, { dialect, aliases });
  let logged: readonly Problem[] = [];
  graph.addStep('platform', (base) => {
    const { forms, rules } = definitions ?? { forms: [], rules: [] };
    upstream.useDefinitions(forms);
    const before = composed?.forms ?? [];
    composed = composeSchema(forms, { dialect, aliases, ruleKeys, rules }, base);
    logRenames(before, composed.forms, log);
    logProblems(composed.problems, log, logged);
    logged = composed.problems;
    return definitions ? composed.schema : markPartial(composed.schema);
  });
  report(facts, () => composed, unread, following);
  if (following === undefined) return () => undefined;

  /** Replaces the definitions. Resolves when new requests use them. */
  const replace = async (next: DefinitionSet): Promise<void> => {
    const before = definitions;
    if (before && isSameSet(before, next)) return;
    definitions = next;
    await graph.refresh();
    if (before)
      log.info(
        { forms: [...changedForms(before.forms, next.forms)] },
        'the graph follows the definitions',
      );
    else log.info({ forms: composed?.forms.length }, 'the form definitions have been read');
    await save(next);
  };
  following.watch(replace);
  return following.stop;
}

/** Marks a schema as incomplete. */
const markPartial = (schema: GraphQLSchema): GraphQLSchema => {
  const { extensions, ...config } = schema.toConfig();
  return new GraphQLSchema({
    ...config,
    extensions: { ...extensions, isPartial: true },
    assumeValid: true,
  });
};

/**
 * Adds the status lines and gauges of typed forms.
 *
 * @param unread the ids of forms whose definitions could not be read.
 * @param following `undefined` if definitions are not read from the platform.
 */
function report(
  { status, gauges }: Facts,
  composed: () => Composed | undefined,
  unread: Set<string>,
  following: Following | undefined,
): void {
  status.push(() => {
    const { forms = [], problems = [] } = composed() ?? {};
    for (const { formId } of forms) unread.delete(formId);
    const unreadable = [...unread].map(
      (id): Problem => ({ of: 'form', id, reason: 'its definition cannot be read' }),
    );
    return [...problems, ...unreadable].map(describeProblem);
  });
  if (following === undefined) return;
  gauges.push(
    gauge(
      'caseway_typed_forms',
      'Forms with types of their own.',
      () => composed()?.forms.length ?? 0,
    ),
    gauge('caseway_definitions_age_seconds', AGE, () => following.ageMs() / 1_000),
  );
}

const AGE =
  'Time since the form definitions were last read from the platform, in seconds; since startup before they are.';

async function readSnapshot(
  snapshot: Snapshot,
  options: TypedGraphOptions,
): Promise<DefinitionSet | undefined> {
  try {
    const saved = await snapshot.load();
    return (
      saved && { ...saved, forms: saved.forms.filter(({ formId }) => options.isIncluded(formId)) }
    );
  } catch (error) {
    warnOfSnapshot('read', error, options);
    return undefined;
  }
}

const SNAPSHOT_ADVICE = {
  read: 'Correct its permissions, or remove it: it is written after the next read of the platform.',
  written:
    'Set a path in a folder with space that the gateway may write to: a new file replaces it.',
};

function warnOfSnapshot(
  failed: keyof typeof SNAPSHOT_ADVICE,
  error: unknown,
  { log, snapshotFile: file }: TypedGraphOptions,
): void {
  const advice = SNAPSHOT_ADVICE[failed];
  log.warn({ reason: codeOrMessage(error), file, advice }, `TYPED_SNAPSHOT cannot be ${failed}`);
}

const describeProblem = ({ of, id, field, reason, isOfPart }: Problem): StatusLine => ({
  title: `${capitalize(of)} ${id}${field === undefined ? '' : `, field ${field}`}`,
  text: `${isOfPart ? 'a part is left out' : 'stays generic'}: ${reason}`,
});

/**
 * Logs forms, fields and rules that cannot be mapped, with the reason. Problems in `logged` are
 * skipped.
 */
function logProblems(problems: readonly Problem[], log: Log, logged: readonly Problem[]): void {
  const known = new Set(logged.map((problem) => JSON.stringify(problem)));
  for (const problem of problems.filter((each) => !known.has(JSON.stringify(each)))) {
    const { of, id, field, reason, isOfPart } = problem;
    const message = isOfPart
      ? 'a part of a form is left out of the graph'
      : `a ${of} stays generic`;
    log.warn({ [of]: id, field, reason }, message);
  }
}

/**
 * Logs each form whose type or list has a new name. For a type, the log line contains the entry of
 * `TYPED_ALIASES` that restores the name.
 */
function logRenames(before: readonly TypedForm[], after: readonly TypedForm[], log: Log): void {
  const served = new Map(before.map(({ formId, names }) => [formId, names]));
  for (const { formId: form, names } of after) {
    const old = served.get(form) ?? names;
    if (names.type !== old.type) {
      const alias = `${JSON.stringify(form)}: ${JSON.stringify({ name: old.type })}`;
      log.warn(
        { form, was: old.type, is: names.type, alias },
        'a served name has changed; the alias restores it',
      );
    } else if (names.many !== old.many) {
      log.warn(
        { form, was: old.many, is: names.many },
        'a served name has changed: another form claims it',
      );
    }
  }
}
