import { InputError } from '../upstream/errors.ts';
import type { FormRecord, InstanceRecord } from '../upstream/records.ts';

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
  const key = parseTuple(id);
  if (isNodeKey(key) && formatNodeId(key) === id) return key;
  throw new InputError('This is not a global id of this graph; give one back as an `id` field gave it.');
}

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
