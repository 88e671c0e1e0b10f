import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';

const SAMPLES = join(import.meta.dirname, '../../sandbox/definitions');
const NAME = { name: 'name', label: 'Name', type: 'text', required: true };
const OWNER = { name: 'owner', label: 'Owner', type: 'reference', reference: 'owner' };

/**
 * Writes the sandbox's samples and 100 instances of `thing`, which refer to 10 of `owner`. Returns
 * the folder.
 */
export function writeDefinitions(): string {
  const folder = mkdtempSync(join(tmpdir(), 'caseway-frugality-'));
  cpSync(SAMPLES, folder, { recursive: true });
  const write = (file: string, content: unknown) =>
    writeFileSync(join(folder, file), stringify(content));
  const rows = <T>(count: number, row: (n: number) => T) =>
    Array.from({ length: count }, (_, n) => ({ idInstance: n + 1, ...row(n) }));

  write('forms/owner.yaml', { idForm: 'owner', name: 'Owner', version: '1', fields: [NAME] });
  write('forms/thing.yaml', {
    idForm: 'thing',
    name: 'Thing',
    version: '1',
    fields: [NAME, OWNER],
  });
  write('data/owners.yaml', {
    idForm: 'owner',
    instances: rows(10, (n) => ({ name: `owner ${n}` })),
  });
  write('data/things.yaml', {
    idForm: 'thing',
    instances: rows(100, (n) => ({ name: `thing ${n}`, owner: (n % 10) + 1 })),
  });
  return folder;
}
