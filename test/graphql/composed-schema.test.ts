import { GraphQLSchema, validateSchema } from 'graphql';
import { expect, it } from 'vitest';

import { readConfig } from '../../src/app/index.ts';
import { readGraph } from '../../src/app/open.ts';
import { createLog } from '../../src/core/log.ts';
import { writeFolder } from '../support/folder.ts';
import { limitsOf } from '../support/limits.ts';

const EXTENSION = `export default {
  typeDefs: 'extend type Query { greeting: String } extend interface Instance { label: String }',
  resolvers: { Query: { greeting: () => 'Hello' }, Instance: { label: () => 'a label' } },
};`;

it('the schema with the fields of all features is valid', async () => {
  const env = {
    SANDBOX_FILE: ':memory:',
    TYPED_FORMS: '*',
    TYPED_RULES: 'approval-level@1.0',
    EXTENSIONS: writeFolder({ 'greeting.js': EXTENSION }),
    FEDERATION: 'on',
  };
  const log = createLog('silent', { write: () => true });

  const config = { ...readConfig(env), limits: limitsOf(env) };
  const { schema } = await readGraph(config, log, 'platform');

  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const fields = roots.flatMap((root) => Object.keys(root?.getFields() ?? {}));
  const added = [
    'suppliers',
    'executeApprovalLevelV1_0',
    'greeting',
    '_entities',
    'createInstances',
  ];
  expect(fields).toEqual(expect.arrayContaining(added));
  expect(schema.getSubscriptionType()).toBeDefined();
  expect(schema.extensions.leftOut).toEqual([]);
  const unvalidated = new GraphQLSchema({ ...schema.toConfig(), assumeValid: false });
  expect(validateSchema(unvalidated)).toEqual([]);
});
