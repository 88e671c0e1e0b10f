import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const documents = readdirSync(ROOT).filter((file) => file.endsWith('.md'));

it.each(documents)('%s holds nothing that an unfinished merge left behind', (file) => {
  expect(readFileSync(join(ROOT, file), 'utf8')).not.toMatch(/^(<{7}|={7}|>{7})/m);
});
