import { hash } from 'node:crypto';
import { join } from 'node:path';

import { writeFolder } from '../../support/folder.ts';
import { type GraphqlAnswer, startCountedGateway } from '../../support/gateway.ts';

/** The settings of a gateway whose API keys are the names of their callers. */
export const withKeys = (...names: readonly string[]) => ({
  CALLER_AUTH: 'key',
  CALLER_KEYS: names.map((name) => `${name}:${hash('sha256', name)}`).join(),
});

/** What a buyer may do, an exporter and a clerk; `guest` has a key and no role. */
export const ROLES = {
  callers: { web: 'buyer', nightly: 'export', desk: 'clerk' },
  roles: {
    buyer: {
      forms: { 'purchase-request': ['read', 'create', 'update'], supplier: ['read'], expense: ['create'] },
      processes: ['purchase-approval'],
      execute: true,
      rules: ['discount-rate-eu@2.1'],
    },
    export: { forms: { 'purchase-request': ['read'], supplier: ['read'], expense: ['read'] }, schema: true },
    clerk: {
      forms: { employee: ['read', 'delete'] },
      schema: true,
      attributes: true,
      processes: ['purchase-approval'],
    },
  },
};

/** Writes a file for `ROLES`, with other files beside it. */
export const writeRoles = (roles: object = ROLES, others: Readonly<Record<string, string>> = {}): string =>
  join(writeFolder({ 'roles.json': roles, ...others }), 'roles.json');

export type Ask = (caller: string, query: string, variables?: object, headers?: object) => Promise<GraphqlAnswer>;

/** Starts a gateway with roles, and a sandbox of its own whose calls are counted. */
export async function startWithRoles(
  env: Readonly<Record<string, string>> = {},
  roles: object = ROLES,
  onLogLine?: (line: string) => void,
) {
  const settings = {
    ...withKeys('web', 'nightly', 'desk', 'guest'),
    ROLES: writeRoles(roles),
    TYPED_FORMS: '*',
    ...env,
  };
  const gateway = await startCountedGateway(settings, { requestLimit: 0 }, onLogLine);
  // Definitions were read for the schema.
  gateway.calls.length = 0;
  const ask: Ask = async (caller, query, variables, headers) => {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': caller, ...headers },
      body: JSON.stringify({ query, variables }),
    });
    return { status: response.status, ...((await response.json()) as object) };
  };
  return { ...gateway, ask };
}

/** The code and path of each error. */
export const codesOf = ({ errors = [] }: GraphqlAnswer) =>
  errors.map(({ extensions, path }) => [extensions['code'], path?.join('.')]);

/** Gives the opaque id of an object. */
export const globalId = (...key: readonly string[]) => Buffer.from(JSON.stringify(key)).toString('base64url');
