import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { envExample, settingsMarkdown } from '../src/config/describe.ts';

/** `npm run -s settings`: writes what follows from the table of settings; with `--check` it fails where that is stale. */
const files = { 'docs/settings.md': settingsMarkdown(), '.env.example': envExample() };
const root = join(import.meta.dirname, '..');

for (const [file, text] of Object.entries(files)) {
  const path = join(root, file);
  if (!process.argv.includes('--check')) writeFileSync(path, text);
  else if (readFileSync(path, 'utf8') !== text) {
    process.stderr.write(`${file} is stale: run npm run -s settings\n`);
    process.exitCode = 1;
  }
}
