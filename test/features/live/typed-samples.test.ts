import { assert, property } from 'fast-check';
import { parse, validate } from 'graphql';
import { expect, it } from 'vitest';

import { typedSamples } from '../../../playground/samples/typed.ts';
import { addSubscription } from '../../../src/features/live/subscription-type.ts';
import { composeSchema } from '../../../src/features/typed-graph/compose.ts';
import { dialectOf } from '../../upstream/support/open.ts';
import { anyForms } from '../typed-graph/support/random-forms.ts';

it('the playground’s typed subscriptions are valid against the schema, whatever the forms are', () => {
  assert(
    property(anyForms, (definitions) => {
      const composed = composeSchema(definitions, { dialect: dialectOf() });

      const schema = addSubscription(composed.schema, { leastMs: 5_000, callsPerMinute: 300 });
      const samples = typedSamples(schema).filter(({ kind }) => kind === 'subscription');

      expect(samples).toHaveLength(composed.forms.length);
      expect(samples.flatMap(({ query }) => validate(schema, parse(query)))).toEqual([]);
    }),
    { numRuns: 50 },
  );
});
