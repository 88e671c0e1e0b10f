import type { Dialect } from '../dialect.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { InstanceContent, InstanceRecord } from '../records.ts';
import type { Answer } from './answer.ts';
import { pickOffer } from './links.ts';
import { isSequence } from './list.ts';
import { due, pick, pickText } from './members.ts';

/**
 * Decodes what an instance holds: `{idInstance, values: {…}}`, `{idInstance, fields: [{name, value}]}`, a flat object, or a
 * bare sequence `[{name, value}]`.
 *
 * @throws {Error} for anything else.
 */
export function decodeContent(body: Json | undefined, dialect: Dialect, linkHeader?: string): InstanceContent {
  if (isSequence(body, dialect)) {
    return { values: fromSequence(body, dialect), offer: pickOffer({}, dialect, linkHeader) };
  }
  const record = due(isJsonObject(body) ? body : undefined, 'instance');
  return { values: valuesOf(record, dialect), offer: pickOffer(record, dialect, linkHeader) };
}

/** Decodes one instance of a list, which must have its id. */
export function decodeListed(formId: string, item: Json, dialect: Dialect): InstanceRecord {
  const content = decodeContent(item, dialect);
  const holder = isJsonObject(item) ? item : content.values;
  return { formId, instanceId: due(pickText(holder, dialect.instance.id), 'instance id'), content };
}

/** Decodes the answer to a creation: the id from the body, or from the end of `Location`; the content where it came along. */
export function decodeCreated(formId: string, { body, headers }: Answer, dialect: Dialect): InstanceRecord {
  const inBody = isJsonObject(body) ? pickText(body, dialect.instance.id) : undefined;
  const instanceId = due(inBody ?? endOf(headers.location), 'id of the new instance');
  return { formId, instanceId, content: hasValues(body, dialect) ? decodeContent(body, dialect) : undefined };
}

/** Gives the id that a reference field holds: the bare id, or an object that holds it. `undefined` when it is empty. */
export function decodeReference(value: Json | undefined, dialect: Dialect): string | undefined {
  if (isJsonObject(value)) return pickText(value, dialect.instance.id);
  return value === undefined || value === null || value === '' || Array.isArray(value) ? undefined : String(value);
}

function valuesOf(record: JsonObject, dialect: Dialect): JsonObject {
  const values = pick(record, dialect.instance.values);
  if (isJsonObject(values)) return values;
  if (isSequence(values, dialect)) return fromSequence(values, dialect);
  const others = new Set<string>([
    ...dialect.instance.id.filter((name) => Object.hasOwn(record, name)).slice(0, 1),
    ...dialect.instance.formId,
    ...dialect.links.list,
    ...dialect.links.byRel,
  ]);
  return Object.fromEntries(Object.entries(record).filter(([name]) => !others.has(name)));
}

function fromSequence(entries: readonly JsonObject[], { instance }: Dialect): JsonObject {
  return Object.fromEntries(
    entries.map((entry) => [String(entry[instance.entryName]), entry[instance.entryValue] ?? null]),
  );
}

// A body that only names the new id holds no values.
function hasValues(body: Json | undefined, dialect: Dialect): boolean {
  if (!isJsonObject(body)) return isSequence(body, dialect) && body.length > 0;
  return Object.keys(valuesOf(body, dialect)).some((name) => !dialect.instance.id.includes(name));
}

function endOf(location: string | undefined): string | undefined {
  const segment = location?.split(/[?#]/, 1)[0]?.replace(/\/+$/, '').split('/').at(-1);
  return segment && /^-?\d+$/.test(segment) ? segment : undefined;
}
