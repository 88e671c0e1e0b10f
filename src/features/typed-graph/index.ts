import { z } from 'zod';

import type { Report } from '../../config/load.ts';
import { listOf, TEXT } from '../../config/setting-types.ts';
import { valuesOf } from '../../config/settings.ts';
import type { Feature } from '../feature.ts';
import { aliases } from './aliases.ts';
import { checkValue } from './field-types.ts';
import { readAliases } from './names.ts';
import { openTypedGraph } from './schema-reloader.ts';

/**
 * The interval between two reads of the definitions: this multiple of their lifetime in the cache,
 * or these milliseconds if they are not cached.
 */
const WATCH_LIFETIMES = 5;
const WATCH_UNCACHED_MS = 300_000;

const SETTINGS = z
  .object({
    TYPED_FORMS: TEXT.optional().meta({
      unit: 'form ids, comma-separated',
      whenUnset: 'all that the gateway can read',
      description:
        'The forms that get GraphQL types of their own; `*` stands for any characters, `!` before an id excludes it, `none` alone excludes all.',
      isOfSchema: true,
    }),
    TYPED_RULES: TEXT.optional().meta({
      unit: 'component@version, comma-separated',
      description:
        'Rules that get mutations of their own, generated from their input parameters, for example `approval-level@1.0`.',
      isOfSchema: true,
    }),
    TYPED_ALIASES: TEXT.optional().meta({
      unit: 'JSON file',
      description: 'Names of types and fields by form. They replace the names derived from ids.',
      isOfSchema: true,
    }),
    TYPED_SNAPSHOT: TEXT.optional().meta({
      unit: 'JSON file',
      description:
        'The file in which form definitions are saved, so that the gateway can start while the platform is down.',
      isOfSchema: true,
    }),
  })
  .meta({ title: 'Typed graph' });

/**
 * Adds types, queries and mutations for each form, generated from the platform's form definitions.
 */
export const typedGraph: Feature = {
  settings: SETTINGS,
  commands: [aliases],
  configure({ settings, report }) {
    const own = valuesOf(settings, SETTINGS);
    const aliasNames = report.file('TYPED_ALIASES', own.TYPED_ALIASES, readAliases);
    const chosen = readForms(own, report);
    if (chosen === undefined) return undefined;
    const watchMs = settings.CACHE_DEFINITIONS_MS * WATCH_LIFETIMES || WATCH_UNCACHED_MS;
    const config = { ...chosen, aliases: aliasNames, snapshotFile: own.TYPED_SNAPSHOT, watchMs };
    return {
      async open(gateway) {
        gateway.defer(await openTypedGraph({ ...config, ...gateway }));
      },
      checkValue,
    };
  },
};

type FormSettings = Pick<z.output<typeof SETTINGS>, 'TYPED_FORMS' | 'TYPED_RULES'>;

/**
 * Reads the selected forms and rules. In `TYPED_FORMS`, `!` excludes an id, `*` matches any
 * characters, and `none` alone excludes all forms. Returns `undefined` for `none`.
 */
function readForms({ TYPED_FORMS = '*', TYPED_RULES }: FormSettings, report: Report) {
  const rules = [...new Set(listOf(TYPED_RULES))].flatMap((entry, index) => {
    // A component's name may contain `@`, so the last one separates the version.
    const [, component = '', version = ''] = /^(.+)@([^@]+)$/.exec(entry) ?? [];
    if (version !== '') return [{ component, version }];
    report(
      'TYPED_RULES',
      `entry ${index + 1} must be a component and a version, as approval-level@1.0`,
    );
    return [];
  });
  const entries = listOf(TYPED_FORMS);
  if (entries.length === 1 && entries[0] === 'none') return undefined;
  const excluded = entries.filter((entry) => entry.startsWith('!')).map((entry) => entry.slice(1));
  const included = entries.filter((entry) => !entry.startsWith('!'));
  const isListed = matcherOf(included.length === 0 ? ['*'] : included);
  const isExcluded = matcherOf(excluded);
  return { rules, isIncluded: (formId: string) => isListed(formId) && !isExcluded(formId) };
}

function matcherOf(patterns: readonly string[]): (id: string) => boolean {
  const split = patterns.map((pattern) => pattern.split('*'));
  return (id) => split.some((parts) => isLike(id, parts));
}

/**
 * Returns whether a text consists of these parts, with any text between them. Each part is searched
 * once. A pattern with several `.*` would take quadratic time for a long id of the platform.
 */
function isLike(text: string, [start = '', ...others]: readonly string[]): boolean {
  const end = others.pop();
  if (end === undefined) return text === start;
  if (!text.startsWith(start)) return false;

  let position = start.length;
  for (const part of others) {
    const found = text.indexOf(part, position);
    if (found === -1) return false;
    position = found + part.length;
  }
  return text.endsWith(end) && text.length - end.length >= position;
}
