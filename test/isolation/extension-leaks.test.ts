import { expect, it } from 'vitest';

import { writeFolder } from '../support/folder.ts';
import { createPlot, type PlantedLeak } from './plant.ts';
import { prove } from './proof.ts';
import { LEAK_SEED } from './settings.ts';

const SETUP = { mode: 'user', variant: 'B' } as const;
const plant = createPlot();
const OPTIONS = { runs: 60, seed: LEAK_SEED, isShrinking: false };

/** What must never be wrong in the program where extensions get at it. */
const LEAKS: Readonly<Record<string, PlantedLeak>> = {
  'what an extension gets is others’ as well': [
    'features/extensions/own-copy.ts',
    "if (typeof value !== 'object' || value === null) return value;",
    'if (value !== undefined) return value;',
  ],
  'a context serves the next caller as well': [
    'features/extensions/context.ts',
    'return options.calls > 0 ? create : perOperation(create);',
    'let made: Context | undefined; return (operation) => (made ??= create(operation));',
  ],
  'answers with own fields are kept for any caller': [
    'features/extensions/resolvers.ts',
    'return run(operation, convertMembers(field.args, given), source, read);',
    `const kept = (field.kept ??= new Map());
    const key = JSON.stringify(given);
    if (!kept.has(key)) kept.set(key, run(operation, convertMembers(field.args, given), source, read));
    return kept.get(key);`,
  ],
};

it.each(Object.entries(LEAKS))('the isolation check detects when %s', { timeout: 600_000 }, async (_what, leak) => {
  const { problems, seed } = await prove(SETUP, { ...OPTIONS, root: plant(leak) });

  expect(problems, `seed ${seed}`).not.toEqual([]);
});

/** Remembers what it has read, which a module must not. */
const FORGETFUL = `
const known = new Map();
const READ = 'query ($f: ID!, $i: ID!) { instance(formId: $f, instanceId: $i) { stamp: value(field: "stamp") } }';
export default {
  typeDefs: \`
    extend type Query { ownInstance(formId: ID!, instanceId: ID!, any: JSON): Instance }
    extend interface Instance { ownStamp: JSON }
  \`,
  resolvers: {
    Query: {
      ownInstance: {
        calls: 1,
        resolve: async (_source, { formId, instanceId }, { query }) =>
          (await query('query ($f: ID!, $i: ID!) { instance(formId: $f, instanceId: $i) { id } }', { f: formId, i: instanceId })).instance,
      },
    },
    Instance: {
      ownStamp: {
        calls: 1,
        needs: '{ formId instanceId }',
        async resolve({ formId: f, instanceId: i }, _args, { query }) {
          const key = JSON.stringify([f, i]);
          if (!known.has(key)) known.set(key, (await query(READ, { f, i })).instance.stamp);
          return known.get(key);
        },
      },
    },
  },
};`;

it('the isolation check detects when a module remembers what it has read', { timeout: 600_000 }, async () => {
  const folder = writeFolder({ 'own.js': FORGETFUL });

  const { problems, seed } = await prove(SETUP, { ...OPTIONS, env: { EXTENSIONS: folder } });

  expect(problems, `seed ${seed}`).not.toEqual([]);
});
