import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Writes a dialect's file, as `UPSTREAM_DIALECT` names one; it goes with the test. */
export function writeDialect(dialect: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'caseway-dialect-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'dialect.json');
  writeFileSync(file, JSON.stringify(dialect));
  return file;
}
