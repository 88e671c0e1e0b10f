import type { InstanceKey } from '../upstream/records.ts';

/** What a change of an instance leaves to its payload: which one to read back, if anybody wants it. */
export interface InstancePayload {
  readonly key: InstanceKey;
}
