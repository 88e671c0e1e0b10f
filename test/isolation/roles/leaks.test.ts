import { expect, it } from 'vitest';

import { createPlot, type PlantedLeak } from '../plant.ts';
import { LEAK_SEED } from '../settings.ts';
import { proveRoles } from './proof.ts';

const plant = createPlot();
const role = 'features/roles/role.ts';
const guard = 'features/roles/guard.ts';

/** The need that is left off one operation: to be allowed to look at any form is enough. */
const without = (file: string, operation: string): PlantedLeak => [
  `upstream/resources/${file}.ts`,
  new RegExp(`(const ${operation}: [^]*?\\n  )needs\\b[^]*?,\\n};`),
  "$1needs: () => ({ of: 'forms', verb: 'look at' }),\n};",
];

/** The rule that allows everything. */
const allowing = (of: string): PlantedLeak => [
  role,
  new RegExp(`(\\n  ${of}: \\{[^]*?isAllowed: )[^]*?( },?\\n|,\\n  },)`),
  '$1() => true$2',
];

const LEAKS: Readonly<Record<string, PlantedLeak>> = {
  'the list of forms is for anybody': [
    role,
    "return verb === 'look at' && role.lookable?.length !== 0;",
    'return true;',
  ],
  'a definition is anybody’s': without('forms', 'getForm'),
  'a list is anybody’s': without('instances', 'getFormIntances'),
  'an instance is anybody’s': without('instances', 'getFormIntance'),
  'anybody creates': without('instances', 'createFormIntance'),
  'anybody replaces': without('instances', 'updateFormIntance'),
  'anybody updates': without('instances', 'updateValuesOfFormIntance'),
  'anybody deletes': without('instances', 'deleteFormIntance'),
  'anybody starts cases': allowing('processes'),
  'anybody executes activities': allowing('cases'),
  'anybody reads rules': without('rules', 'getParameters'),
  'anybody executes rules': without('rules', 'execute'),
  'the list of forms is anybody’s': [guard, 'if (lookable === undefined) return', 'return'],
  'a list of forms is cut': [guard, 'return restrict(query);', 'return { ...query, where: [] };'],
  'references lead anywhere': [guard, 'check(of.name, of.needs(args));', ''],
  'a filter names any field': [guard, "check(of, { of: 'search', formId });", ';'],
  'a created instance is shown': [
    guard,
    "formId === undefined || role.allows({ of: 'forms', verb: 'read', formId })",
    'true',
  ],
  'a kept instance is shown': ['cache/idempotency.ts', 'return { formId, instanceId };', 'return result;'],
  'a field of an extension is anybody’s': allowing('extensions'),
  'the schema is anybody’s': allowing('schema'),
  'the schema describes any form': [
    'features/roles/rights.ts',
    'lookable ? withoutOtherForms(schema, lookable) : schema',
    'lookable ? schema : schema',
  ],
  'roles share what was read': [
    'http/auth/service.ts',
    'const known = scopes.get(rights);',
    'const known = [...scopes.values()][rights ? 1 : 0];',
  ],
  'an operation is not refused before it runs': [
    'graphql/operations.ts',
    'if (refusals.length > 0) return',
    'if (refusals.length > 99) return',
  ],
};

it.each(Object.entries(LEAKS))('the sequences of roles show that %s', { timeout: 300_000 }, async (_what, leak) => {
  const { problems } = await proveRoles({ runs: 240, seed: LEAK_SEED, root: plant(leak) });

  expect(problems).not.toEqual([]);
});

it('a swap of the file shows that streams outlast it', { timeout: 300_000 }, async () => {
  const leak: PlantedLeak = [
    'http/auth/service.ts',
    'orUndefined(() => rightsOf(viewer)) === rights',
    'rightsOf !== undefined',
  ];

  // No sequence shows it, so one is enough.
  const { problems } = await proveRoles({ runs: 1, seed: LEAK_SEED, root: plant(leak) });

  expect(problems).not.toEqual([]);
});
