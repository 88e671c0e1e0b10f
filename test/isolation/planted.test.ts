import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { LEAKS } from './leaks/leaks.ts';

const read = (file: string) => readFileSync(join(import.meta.dirname, '../../src', file), 'utf8');

it.each(Object.entries(LEAKS))('a gateway can be made in which %s', (_name, { edits }) => {
  const places = edits.map(({ file, find }) => read(file).split(find).length - 1);

  expect(places).toEqual(edits.map(() => 1));
});
