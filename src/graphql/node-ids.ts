import { InputError } from '../upstream/errors.ts';
import type { FormRecord, InstanceKey, InstanceRecord } from '../upstream/records.ts';

/** What a global id may name. */
export type NodeRecord = FormRecord | InstanceRecord;

/** What a global id says, once opened. */
export type NodeKey =
  | readonly [type: 'Form', formId: string]
  | readonly [type: 'Instance', formId: string, instanceId: string];

/** Writes a global id: a tuple, so that no two objects share one, made opaque. */
export function formatNodeId(key: NodeKey): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/**
 * Opens a global id.
 *
 * @throws {InputError} for anything that `formatNodeId` would not have written.
 */
export function parseNodeId(id: string): NodeKey {
  const key = keyOf(id);
  if (key) return key;
  throw new InputError('This is not a global id of this graph; give one back as an `id` field gave it.');
}

/**
 * Gives the platform's id of a form by that or by its global id.
 *
 * @throws {InputError} for the global id of something else.
 */
export function toFormId(id: string): string {
  const key = keyOf(id);
  if (key === undefined) return id;
  if (key[0] === 'Form') return key[1];
  throw new InputError('This global id is not the id of a form.');
}

/**
 * Gives the platform's id of an instance of a form by that or by its global id.
 *
 * @throws {InputError} for the global id of something else.
 */
export function toInstanceId(formId: string, id: string): string {
  const key = keyOf(id);
  if (key === undefined) return id;
  if (key[0] === 'Instance' && key[1] === formId) return key[2];
  throw new InputError('This global id is not the id of an instance of this form.');
}

/** Gives the platform's ids of an instance, each by that or by the global id of its object. @throws {InputError} */
export function toInstanceKey<T extends InstanceKey>({ formId: form, instanceId, ...rest }: T) {
  const formId = toFormId(form);
  return { ...rest, formId, instanceId: toInstanceId(formId, instanceId) };
}

/** Opens a global id; `undefined` for anything that `formatNodeId` would not have written. */
function keyOf(id: string): NodeKey | undefined {
  if (!id.startsWith(TUPLE)) return undefined;
  const key = parseTuple(id);
  return isNodeKey(key) && formatNodeId(key) === id ? key : undefined;
}

/** What the JSON of every tuple of strings begins with. */
const TUPLE = Buffer.from('["F').toString('base64url').slice(0, 3);

function parseTuple(id: string): unknown {
  try {
    return JSON.parse(Buffer.from(id, 'base64url').toString());
  } catch {
    return undefined;
  }
}

function isNodeKey(value: unknown): value is NodeKey {
  if (!Array.isArray(value) || !value.every((part) => typeof part === 'string')) return false;
  return (value[0] === 'Form' && value.length === 2) || (value[0] === 'Instance' && value.length === 3);
}
