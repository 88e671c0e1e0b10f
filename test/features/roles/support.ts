import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect } from 'vitest';

import { callerKeys, executeAs } from '../../identity/support.ts';
import { writeFolder } from '../../support/folder.ts';
import { type Env, type GraphqlAnswer, startCountedGateway } from '../../support/gateway.ts';

/** Roles for a buyer, an exporter and a clerk. `guest` has a key and no role. */
export const ROLES = {
  callers: { web: 'buyer', nightly: 'export', desk: 'clerk' },
  roles: {
    buyer: {
      forms: {
        'purchase-request': ['read', 'create', 'update'],
        supplier: ['read'],
        expense: ['create'],
      },
      processes: ['purchase-approval'],
      execute: true,
      rules: ['discount-rate-eu@2.1'],
    },
    export: {
      forms: { 'purchase-request': ['read'], supplier: ['read'], expense: ['read'] },
      schema: true,
    },
    clerk: {
      forms: { employee: ['read', 'delete'] },
      schema: true,
      attributes: true,
      processes: ['purchase-approval'],
    },
  },
};

/** The same, with more rights for the buyer. */
export const withBuyer = (rights: object) => ({
  ...ROLES,
  roles: { ...ROLES.roles, buyer: { ...ROLES.roles.buyer, ...rights } },
});

/** Writes a file for `ROLES`, with other files beside it. */
export const writeRoles = (
  roles: object | string = ROLES,
  others: Readonly<Record<string, string>> = {},
): string => join(writeFolder({ 'roles.json': roles, ...others }), 'roles.json');

/** The values of a new expense. */
export const EXPENSE = {
  description: 'Train',
  amount: '10',
  category: 'TRAVEL',
  employee: '6',
  spentOn: '2026-03-01',
};

type Headers = Readonly<Record<string, string>>;
type Variables = Readonly<Record<string, unknown>>;

/** Starts a gateway with roles, and a sandbox of its own whose calls are counted. */
export async function startWithRoles(env: Env = {}, roles: object = ROLES) {
  const settings = {
    ...callerKeys('web', 'nightly', 'desk', 'guest'),
    ROLES: env['ROLES'] ?? writeRoles(roles),
    TYPED_FORMS: '*',
    ...env,
  };
  const gateway = await startCountedGateway(settings, { requestLimit: 0 });
  // Definitions were read for the schema.
  gateway.calls.length = 0;
  const ask = async (
    caller: string,
    query: string,
    variables?: Variables,
    headers?: Headers,
  ): Promise<GraphqlAnswer> =>
    executeAs(gateway.url, query, { 'x-api-key': caller, ...headers }, variables);
  return { ...gateway, ask };
}

/**
 * Starts one with those roles for all tests of a file; the calls of each test are counted from its
 * beginning.
 */
export async function shareWithRoles(env: Env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'roles-'));
  const file = join(folder, 'roles.json');
  writeFileSync(file, JSON.stringify(ROLES));
  const gateway = await startWithRoles({ ROLES: file, ...env });
  afterAll(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    gateway.calls.length = 0;
  });
  return gateway;
}

/** Returns the code and path of each error. */
export const codesOf = ({ errors = [] }: GraphqlAnswer) =>
  errors.map(({ extensions, path }) => [extensions['code'], path?.join('.')]);

/** Expects the error `FORBIDDEN` at these paths, and no other error. */
export const expectForbidden = (answer: GraphqlAnswer, ...paths: readonly string[]) =>
  expect(codesOf(answer)).toEqual(paths.map((path) => ['FORBIDDEN', path]));
