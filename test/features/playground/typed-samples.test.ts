import { assert, property } from 'fast-check';
import { parse, validate } from 'graphql';
import { expect, it } from 'vitest';

import { typedSamples } from '../../../playground/samples/typed.ts';
import { addSubscription } from '../../../src/features/live/subscription-type.ts';
import { composeSchema } from '../../../src/features/typed-graph/compose.ts';
import { dialectOf } from '../../upstream/support/open.ts';
import { anyForms } from '../typed-graph/support/random-forms.ts';

it('the playground’s typed samples are valid against the schema, whatever the forms are', () => {
  assert(
    property(anyForms, (definitions) => {
      const { schema, forms } = composeSchema(definitions, { dialect: dialectOf() });
      const live = addSubscription(schema, { leastMs: 5_000, callsPerMinute: 300 });

      const samples = typedSamples(live);

      const count = (kind: string) => samples.filter((sample) => sample.kind === kind).length;
      expect([count('query'), count('subscription')]).toEqual([forms.length, forms.length]);
      // A form without fields has nothing to create.
      expect(count('mutation')).toBe(forms.filter(({ fields }) => fields.length > 0).length);
      expect(samples.flatMap(({ query }) => validate(live, parse(query)))).toEqual([]);
      const withoutLive = typedSamples(schema);
      expect(withoutLive).toEqual(samples.filter(({ kind }) => kind !== 'subscription'));
    }),
    { numRuns: 50 },
  );
});
