import type { Content } from './answers.ts';

/** When all of the catalogue last changed. */
const MODIFIED = 'Mon, 02 Mar 2026 09:00:00 GMT';
/** Owners of one page of 100: each page has ten of its own. */
const OWNERS = 10;
const VALUES = ['city', 'street', 'phone', 'email', 'colour', 'note'];

/**
 * Answers the reads of what speed and growth are measured on: forms `thing-0`, `thing-1` and so on, of 20 fields each, with
 * as many instances as anybody asks for, which refer to ten of `owner` for every hundred. `undefined` for all other paths.
 */
export function readCatalogue(path: string, query: URLSearchParams): Content | undefined {
  const [, , , formId = '', instances, id] = path.split('/');
  if (formId !== 'owner' && !formId.startsWith('thing-')) return undefined;
  if (instances === undefined) return found(form(formId));
  if (id !== undefined) return found(instance(formId, Number(id)));
  return found(page(formId, query));
}

const found = (body: string): Content => ({ status: 200, body, modified: MODIFIED });

function form(idForm: string): string {
  const reference = { name: 'owner', label: 'Owner', type: 'reference', reference: 'owner', required: true };
  const fields = Array.from({ length: 19 }, (_, n) => ({
    name: `field${n}`,
    label: `Field ${n}`,
    type: 'text',
    required: n % 2 === 0,
  }));
  return JSON.stringify({ idForm, name: `Form ${idForm}`, version: '1', fields: [reference, ...fields] });
}

function page(formId: string, query: URLSearchParams): string {
  const wanted = /=in:(.*)$/.exec(query.get('search') ?? '')?.[1];
  const size = Number(query.get('per-page') ?? 20);
  const first = (Number(query.get('page-number') ?? 1) - 1) * size + 1;
  const ids = wanted?.split('|').map(Number) ?? Array.from({ length: size }, (_, index) => first + index);
  const total = wanted === undefined ? 1_000_000_000 : ids.length;
  return `{"items":[${ids.map((id) => instance(formId, id)).join(',')}],"total":${total}}`;
}

// Written by hand: what answers must take less time than what is measured.
function instance(formId: string, id: number): string {
  const href = `/v1.0/forms/${formId}/instances/${id}`;
  const links = `[{"rel":"self","href":"${href}","methods":["GET","PUT","PATCH","DELETE"]}]`;
  return `{"idInstance":${id},"idForm":"${formId}","values":${formId === 'owner' ? owner(id) : thing(id)},"links":${links}}`;
}

const owner = (id: number) => `{"name":"Owner ${id}","city":"City ${id % 97}"}`;

function thing(id: number): string {
  const ownerId = Math.floor((id - 1) / 100) * OWNERS + ((id - 1) % OWNERS) + 1;
  const more = VALUES.map((name) => `"${name}":"The ${name} of ${id}"`).join(',');
  return `{"title":"Thing ${id}","amount":${id % 1_000},"open":${id % 3 === 0},"quantity":${id % 7},${more},"owner":${ownerId}}`;
}
