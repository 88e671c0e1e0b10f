import { afterAll, beforeAll, expect, it } from 'vitest';

import { formatMeasured, isExcessive, type Laboratory, openLaboratory } from './laboratory.ts';
import { createRandom } from './random.ts';
import { drawRecipe, formatRecipe, parseRecipe } from './recipe.ts';
import { search } from './search.ts';

const SECONDS = 60;

let laboratory: Laboratory;
beforeAll(async () => {
  laboratory = await openLaboratory();
}, 300_000);
afterAll(() => laboratory?.stop());

it('a recipe is read as it was written', () => {
  const random = createRandom(1);
  for (let n = 0; n < 500; n++) {
    const recipe = drawRecipe(laboratory.schema, random);

    expect(parseRecipe(formatRecipe(recipe))).toEqual(recipe);
  }
});

it('a recipe with an unknown word is refused', () => {
  expect(() => parseRecipe('target=Query/forms value=none')).toThrow('value is one of plain, ');
});

it('no payload costs more than a request may', { timeout: 600_000 }, async () => {
  const onProgress = () => undefined;

  const measured = await search({ laboratory, seed: 1, seconds: SECONDS, onProgress });

  expect(measured.length).toBeGreaterThan(0);
  expect(measured.filter(isExcessive).map(formatMeasured)).toEqual([]);
});
