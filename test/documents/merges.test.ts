import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const DOCUMENTS = readdirSync(ROOT).filter((file) => file.endsWith('.md'));

it.each(DOCUMENTS)('%s holds no two versions of a passage', (file) => {
  expect(readFileSync(join(ROOT, file), 'utf8')).not.toMatch(/^(<{7}|>{7}) /m);
});
