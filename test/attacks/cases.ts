import { BODY_ATTACKS } from './cases/bodies.ts';
import { CALLER_ATTACKS, ROLE_ATTACKS } from './cases/callers.ts';
import { CONNECTION_ATTACKS, PIPELINING_ATTACKS } from './cases/connections.ts';
import { DOCUMENT_ATTACKS } from './cases/documents.ts';
import { HTTP_ATTACKS } from './cases/http.ts';
import { INPUT_ATTACKS } from './cases/inputs.ts';
import type { Attack } from './request.ts';

/** All attacks from outside, by the part of a request that they use. */
export const ATTACKS: Readonly<Record<string, readonly Attack[]>> = {
  documents: DOCUMENT_ATTACKS,
  bodies: BODY_ATTACKS,
  inputs: INPUT_ATTACKS,
  roles: ROLE_ATTACKS,
  callers: CALLER_ATTACKS,
  HTTP: [...HTTP_ATTACKS, ...PIPELINING_ATTACKS],
  connections: CONNECTION_ATTACKS.filter(({ isSlow }) => !isSlow),
  'connections, before a slow platform': CONNECTION_ATTACKS.filter(({ isSlow }) => isSlow),
};
