import { expect, it } from 'vitest';

import { type PlantedLeak, plant } from '../plant.ts';
import { LEAK_SEED } from '../settings.ts';
import { proveRoles } from './proof.ts';

const role = 'features/roles/role.ts';
const guard = 'features/roles/guard.ts';

/** The check that is left off one operation. */
const without = (operation: string): PlantedLeak => [
  role,
  new RegExp(`^  ${operation}: .*,$`, 'm'),
  `  ${operation}: ['', () => true],`,
];

const LEAKS: Readonly<Record<string, PlantedLeak>> = {
  'the list of forms is for anybody': without('getForms'),
  'a definition is anybody’s': without('getForm'),
  'a list is anybody’s': without('getFormIntances'),
  'an instance is anybody’s': without('getFormIntance'),
  'anybody creates': without('createFormIntance'),
  'anybody replaces': without('updateFormIntance'),
  'anybody updates': without('updateValuesOfFormIntance'),
  'anybody deletes': without('deleteFormIntance'),
  'anybody starts cases': without('startCase'),
  'anybody executes activities': without('executeCurrentActivity'),
  'anybody reads rules': without('getParameters'),
  'anybody executes rules': without('execute'),
  'the list of forms is anybody’s': [guard, 'if (lookable === undefined) return', 'return'],
  'a list of forms is cut': [guard, 'restrict(given);', '{ ...given, where: [] };'],
  'references lead anywhere': [guard, 'check(operation, subject);', ''],
  'a filter names any field': [guard, "refuseSearch('getFormIntances', formId);", ';'],
  'a created instance is shown': [
    guard,
    "const mayRead = role.allows('getFormIntance', { formId });",
    'const mayRead = true;',
  ],
  'a kept instance is shown': [
    'graphql/context.ts',
    'return rights ? rights.toReadable(operation, outcome) : outcome;',
    'return outcome;',
  ],
  'a field of an extension is anybody’s': without('extension'),
  'the schema is anybody’s': without('schema'),
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
  'streams outlast a swap': [
    'http/auth/service.ts',
    'orUndefined(() => rightsOf(viewer)) === rights',
    'rightsOf !== undefined',
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
