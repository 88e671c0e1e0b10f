import { expect, it } from 'vitest';

import { copyProgram, findFailure, type PlantedLeak, SEQUENCES } from '../support.ts';
import { createProperty, endsStream, startRoles } from './commands.ts';

const plant = copyProgram();
const role = 'features/roles/role.ts';
const guard = 'features/roles/guard.ts';

/** Removes the permission of one operation, so that reading any form is enough. */
const without = (file: string, operation: string): PlantedLeak => [
  `upstream/resources/${file}.ts`,
  new RegExp(`(const ${operation}: [^]*?\\n  )needs\\b[^]*?,\\n};`),
  "$1needs: () => ({ of: 'forms', verb: 'look at' }),\n};",
];

/** Replaces one rule with one that allows everything. */
const allowing = (of: string): PlantedLeak => [
  role,
  new RegExp(`(\\n  ${of}: \\{[^]*?isAllowed: )[^]*?( },?\\n|,\\n  },)`),
  '$1() => true$2',
];

/** Matches up to the condition of the check of listed forms, which would refuse the leaked ones. */
const untilCheck = (before: string) =>
  new RegExp(`${before}([^]*?)if \\(lookable === undefined \\|\\| result .*\\)`);

/** Leaks that each need a process. */
const LEAKS: Readonly<Record<string, PlantedLeak>> = {
  'the list of forms is for anybody': [
    role,
    "return verb === 'look at' && role.lookable?.length !== 0;",
    'return true;',
  ],
  'the list of forms is anybody’s': [
    guard,
    untilCheck('if \\(lookable === undefined\\) return'),
    'return$1',
  ],
  'a list of forms is cut': [
    guard,
    untilCheck('return restrict\\(query\\);'),
    'return { ...query, where: [] };$1',
  ],
  'references lead anywhere': [guard, 'check(of.name, of.needs(args));', ''],
  'a created instance is shown': [
    guard,
    "formId === undefined || role.allows({ of: 'forms', verb: 'read', formId })",
    'true',
  ],
  'a kept instance is shown': [
    'upstream/operations.ts',
    'return entity ? keyOf(entity, value as RecordKey) : value;',
    'return value;',
  ],
  'the schema describes any form': [
    'features/roles/permissions.ts',
    'lookable ? withoutOtherForms(schema, lookable) : schema',
    'lookable ? schema : schema',
  ],
  'roles share what was read': [
    'http/auth/service.ts',
    'const existing = scopes.get(permissions);',
    'const existing = [...scopes.values()][permissions ? 1 : 0];',
  ],
  'an operation is not refused before it runs': [
    'graphql/operations.ts',
    'if (refusals.length > 0) return',
    'if (refusals.length > 99) return',
  ],
};

/** Matches what a leak shows, and no error of a request that failed. */
const SHOWS = /: (refused is|is shown|not forbidden)|has made|searched by/;

it.each(Object.entries(LEAKS))(
  'the sequences of roles show that %s',
  { timeout: 300_000 },
  async (_what, leak) => {
    const real = await startRoles(plant(leak));
    const property = createProperty(real, (problem) => SHOWS.test(problem));

    expect(await findFailure(property, SEQUENCES, true)).toMatch(SHOWS);
  },
);

/** Matches the problems of operations that were not refused. */
const unrefused = (operations: string, verb = '\\w+') =>
  new RegExp(`^\\w+ (${operations}) \\w+ ${verb} .*: refused is false`, 'm');
const CHANGES = 'change|typedChange|bulk';

/** Leaks that differ in the operation that is not refused. One process has them all. */
const TOLD_APART: readonly (readonly [what: string, leak: PlantedLeak, shows: RegExp])[] = [
  ['a definition is anybody’s', without('forms', 'getForm'), unrefused('form')],
  ['a list is anybody’s', without('instances', 'getFormIntances'), unrefused('instances')],
  ['an instance is anybody’s', without('instances', 'getFormIntance'), unrefused('instance')],
  ['anybody creates', without('instances', 'createFormIntance'), unrefused(CHANGES, 'create')],
  ['anybody replaces', without('instances', 'updateFormIntance'), unrefused(CHANGES, 'replace')],
  [
    'anybody updates',
    without('instances', 'updateValuesOfFormIntance'),
    unrefused(CHANGES, 'update'),
  ],
  ['anybody deletes', without('instances', 'deleteFormIntance'), unrefused(CHANGES, 'delete')],
  ['anybody starts cases', allowing('processes'), unrefused('start')],
  ['anybody executes activities', allowing('cases'), unrefused('execute')],
  ['anybody reads rules', without('rules', 'getParameters'), unrefused('rule')],
  ['anybody executes rules', without('rules', 'execute'), unrefused('executeRule')],
  [
    'a field of an extension is anybody’s',
    allowing('extensions'),
    unrefused('extension|otherExtension'),
  ],
  ['the schema is anybody’s', allowing('schema'), unrefused('schema')],
  [
    'a filter names any field',
    [guard, "check(of.name, { of: 'search', formId });", ';'],
    /: not forbidden/,
  ],
];

it('the sequences of roles show each operation that is anybody’s', {
  timeout: 300_000,
}, async () => {
  const root = TOLD_APART.map(([, leak]) => plant(leak)).at(-1);
  const missing = new Map(TOLD_APART.map(([what, , shows]) => [what, shows]));
  const property = createProperty(await startRoles(root), (problem) => {
    for (const [what, shows] of missing) if (shows.test(problem)) missing.delete(what);
    return missing.size === 0;
  });

  await findFailure(property, SEQUENCES, true);

  expect([...missing.keys()]).toEqual([]);
});

it('a stream that outlasts the rights of its role is found', { timeout: 300_000 }, async () => {
  const root = plant([
    'http/auth/service.ts',
    'orUndefined(() => permissionsOf(given)) === permissions',
    'permissionsOf !== undefined',
  ]);

  expect(await endsStream(await startRoles(root))).toBe(false);
});
