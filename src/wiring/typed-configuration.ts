import { readJsonFile } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import { type Aliases, readAliases } from '../typed-graph/map-forms.ts';
import type { RuleKey } from '../upstream/records.ts';
import { listOf } from './keys.ts';

/** What the settings say of the typed graph, checked. */
export interface TypedConfiguration {
  readonly isWanted: (formId: string) => boolean;
  readonly aliases: Aliases;
  /** The rules that get mutations of their own, each once. */
  readonly rules: readonly RuleKey[];
  /** The snapshot's file. */
  readonly snapshot: string | undefined;
  /** How often definitions are read, in milliseconds; 0: once. */
  readonly watchMs: number;
}

/** Reads what belongs to the typed graph, and adds to the problems; `undefined` where it is off. */
export function readTyped(settings: Settings, problems: string[]): TypedConfiguration | undefined {
  const {
    TYPED_WATCH_MS: watchMs,
    TYPED_GRAPH,
    TYPED_FORMS,
    TYPED_FORMS_EXCEPT,
    TYPED_RULES,
    TYPED_ALIASES,
    TYPED_SNAPSHOT,
  } = settings;
  const aliases = loadAliases(TYPED_ALIASES, problems);
  const rules = readRuleKeys(TYPED_RULES, problems);
  if (TYPED_GRAPH === 'off') return undefined;
  const isListed = matcherOf(listOf(TYPED_FORMS ?? '*'));
  const isExcepted = matcherOf(listOf(TYPED_FORMS_EXCEPT));
  const isWanted = (formId: string) => isListed(formId) && !isExcepted(formId);
  return { isWanted, rules, aliases, snapshot: TYPED_SNAPSHOT, watchMs };
}

/** Reads rules as `component@version`; a component may hold another `@`. */
function readRuleKeys(text: string | undefined, problems: string[]): readonly RuleKey[] {
  return [...new Set(listOf(text))].flatMap((entry, index) => {
    const [, component = '', version = ''] = /^(.+)@([^@]+)$/.exec(entry) ?? [];
    if (version !== '') return [{ component, version }];
    problems.push(`TYPED_RULES: entry ${index + 1} must be a component and a version, as approval-level@1.0`);
    return [];
  });
}

/** Tells whether an id is one of these, in which `*` stands for any characters. */
function matcherOf(patterns: readonly string[]): (id: string) => boolean {
  const tests = patterns.map((pattern) => new RegExp(`^${pattern.split('*').map(literally).join('.*')}$`, 's'));
  return (id) => tests.some((test) => test.test(id));
}

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

function loadAliases(path: string | undefined, problems: string[]): Aliases {
  if (path === undefined) return new Map();
  const found = readJsonFile(path);
  const reading = 'problem' in found ? { problems: [found.problem] } : readAliases(found.value);
  if ('aliases' in reading) return reading.aliases;
  problems.push(...reading.problems.map((problem) => `TYPED_ALIASES: ${problem}`));
  return new Map();
}
