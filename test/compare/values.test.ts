import { assert, asyncProperty, boolean, gen } from 'fast-check';
import { expect, it } from 'vitest';

import { anyForms } from '../features/typed-graph/support/random-forms.ts';
import { type Definition, startFormPlatform } from '../support/form-platform.ts';
import { makeValues, SECRET } from './support/random-values.ts';
import {
  type Answered,
  type Asked,
  type ComparedGateway,
  startCompared,
} from './support/reference.ts';
import { SEED, say, TIMEOUT_MS, VALUES } from './support/settings.ts';

/** How many requests each set of forms gets. */
const VALUES_OF_FORMS = 50;

/** Stricter than GraphQL: an id that no call to the platform can carry. */
const ON_PURPOSE = /\bThe id \$/;

/** Expects that a request is refused by the path of each value that does not fit. */
function expectViolations({ status, data, errors }: Answered, asked: string): void {
  expect([status, data], asked).toEqual([400, undefined]);
  expect(errors, asked).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  const violations = errors[0]?.extensions['violations'] as readonly {
    path: readonly unknown[];
    message: string;
  }[];
  expect(violations.length, asked).toBeGreaterThan(0);
  for (const { path, message } of violations) {
    expect(path[0], asked).toBe('value');
    expect(message, asked).toMatch(/^(must|is|holds) /);
  }
}

/** Compares what becomes of values, the first time and prepared. */
async function compare(asked: Asked, { ours, theirs }: ComparedGateway, isHidden: boolean) {
  const text = JSON.stringify(asked);
  const [first, prepared, expected] = [await ours(asked), await ours(asked), await theirs(asked)];
  for (const answer of [first, prepared]) {
    const isStricter = ON_PURPOSE.test(answer.errors[0]?.message ?? '');
    if (expected.data === undefined || isStricter) expectViolations(answer, text);
    else expect(answer.data, text).toBe(expected.data);
    if (isHidden) expect(JSON.stringify(answer.errors), text).not.toContain(SECRET);
  }
  return expected.data === undefined ? 'refused' : first.data === undefined ? 'stricter' : 'taken';
}

it(
  'any values of variables are taken as by graphql-js, or refused where it refuses them',
  async () => {
    say(`values: ${VALUES}, seed ${SEED}`);
    const counts = { taken: 0, refused: 0, stricter: 0 };
    const property = asyncProperty(anyForms, boolean(), gen(), async (forms, isHidden, g) => {
      const { env } = await startFormPlatform(
        forms.map(({ definition }) => definition as Definition),
      );
      const gateway = await startCompared({ ...env, PLAYGROUND: isHidden ? 'off' : 'on' });
      try {
        for (let count = 0; count < VALUES_OF_FORMS; count++)
          counts[await compare(makeValues(gateway.schema, g), gateway, isHidden)]++;
      } finally {
        await gateway.close();
      }
    });

    await assert(property, {
      numRuns: Math.ceil(VALUES / VALUES_OF_FORMS),
      seed: SEED,
      endOnFailure: true,
    });

    say(
      `values: ${counts.taken} taken, ${counts.refused} refused, ${counts.stricter} refused here alone`,
    );
    expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(VALUES / 10);
  },
  TIMEOUT_MS,
);
