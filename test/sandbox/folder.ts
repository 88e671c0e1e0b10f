import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder for one test, with these files in it, by their paths. */
export function makeFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'caseway-sandbox-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

/** The one user that most folders need: demo, who may do everything. */
export const USERS = `
users:
  - username: demo
    password: demo
    about: may do everything
    permissions:
      forms: { "*": [read, create, update, delete] }
      processes: { "*": [start, execute] }
      rules: { "*": [read, execute] }
`;
