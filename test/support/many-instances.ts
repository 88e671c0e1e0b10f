import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';

const DEMO = {
  username: 'demo',
  password: 'demo',
  about: 'may do everything',
  permissions: { forms: { '*': ['read', 'create', 'update', 'delete'] } },
};

/** Writes definitions of a form `thing` with `things` instances, each referring to one of `owners` instances of `owner`. */
export function defineThings({ things, owners }: { readonly things: number; readonly owners: number }): string {
  const folder = mkdtempSync(join(tmpdir(), 'caseway-definitions-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const text = { name: 'name', label: 'Name', type: 'text', required: true };
  const owner = { name: 'owner', label: 'Owner', type: 'reference', reference: 'owner', required: true };
  const count = (length: number) => Array.from({ length }, (_, index) => index);

  write(folder, 'users.yaml', { users: [DEMO] });
  write(folder, 'forms/owner.yaml', { idForm: 'owner', name: 'Owner', version: '1', fields: [text] });
  write(folder, 'forms/thing.yaml', { idForm: 'thing', name: 'Thing', version: '1', fields: [text, owner] });
  write(folder, 'data/owners.yaml', {
    idForm: 'owner',
    instances: count(owners).map((n) => ({ idInstance: n + 1, name: `owner ${n}` })),
  });
  write(folder, 'data/things.yaml', {
    idForm: 'thing',
    instances: count(things).map((n) => ({ idInstance: n + 1, name: `thing ${n}`, owner: (n % owners) + 1 })),
  });
  return folder;
}

function write(folder: string, file: string, content: unknown): void {
  mkdirSync(join(folder, file, '..'), { recursive: true });
  writeFileSync(join(folder, file), stringify(content));
}
