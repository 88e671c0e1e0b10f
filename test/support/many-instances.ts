import { writeFolder } from './folder.ts';

const DEMO = {
  username: 'demo',
  password: 'demo',
  about: 'may do everything',
  permissions: { forms: { '*': ['read', 'create', 'update', 'delete'] } },
};

/**
 * Writes definitions of a form `thing` with `things` instances, each referring to one of `owners`
 * instances of `owner`.
 */
export function defineThings({
  things,
  owners,
}: {
  readonly things: number;
  readonly owners: number;
}): string {
  const text = { name: 'name', label: 'Name', type: 'text', required: true };
  const owner = {
    name: 'owner',
    label: 'Owner',
    type: 'reference',
    reference: 'owner',
    required: true,
  };
  const count = (length: number) => Array.from({ length }, (_, index) => index);
  const ownerRows = count(owners).map((n) => ({ idInstance: n + 1, name: `owner ${n}` }));
  const thingRows = count(things).map((n) => ({
    idInstance: n + 1,
    name: `thing ${n}`,
    owner: (n % owners) + 1,
  }));

  // JSON is valid YAML.
  return writeFolder({
    'users.yaml': { users: [DEMO] },
    'forms/owner.yaml': { idForm: 'owner', name: 'Owner', version: '1', fields: [text] },
    'forms/thing.yaml': { idForm: 'thing', name: 'Thing', version: '1', fields: [text, owner] },
    'data/owners.yaml': { idForm: 'owner', instances: ownerRows },
    'data/things.yaml': { idForm: 'thing', instances: thingRows },
  });
}
