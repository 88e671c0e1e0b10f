import { GraphQLSchema, isObjectType } from 'graphql';

import type { Config } from '../../config/config.ts';
import { valuesOf } from '../../config/settings.ts';
import type { StatusLine } from '../../core/facts.ts';
import type { Feature, GatewayParts } from '../../feature.ts';
import type { Viewer } from '../../graphql/context.ts';
import { RequestError } from '../../http/errors.ts';
import { createShares } from '../../upstream/call-buckets.ts';
import { rolesCommand } from './command.ts';
import { type RolesFile, readRolesFile, roleOfClaims } from './file.ts';
import { createUses, type Uses } from './refusals.ts';
import { createRights, type RoleRights } from './rights.ts';
import { NO_RIGHTS, Role } from './role.ts';
import { SETTINGS } from './settings.ts';

/** Which callers may do what, by roles of a file. */
export const roles: Feature = {
  settings: SETTINGS,
  commands: [rolesCommand],
  configure({ settings, callers, report }) {
    const { ROLES: path, ROLES_MODE: mode } = valuesOf(settings, SETTINGS);
    if (path === undefined) return undefined;
    const { IDENTITY, CALLER_AUTH = 'none' } = settings;
    if (IDENTITY !== 'service' || CALLER_AUTH === 'none') {
      report('ROLES', 'needs IDENTITY=service, and CALLER_AUTH=key or jwt: else nobody knows whose role it is');
    }
    const file = report.file('ROLES', path, readRolesFile);
    if (CALLER_AUTH === 'jwt' && file && file.claim === undefined) {
      report('ROLES', `${path}: claim: is needed with CALLER_AUTH=jwt: the claim of a token that names roles`);
    }
    if (file === undefined) return undefined;
    return { open: (gateway) => openRoles(gateway, { file, callers, isEnforced: mode === 'enforce' }) };
  },
};

interface RolesOptions extends Pick<Config, 'callers'> {
  readonly file: RolesFile;
  readonly isEnforced: boolean;
}

function openRoles(gateway: GatewayParts, { file, callers, isEnforced }: RolesOptions): void {
  const { graph, log, observers, facts, authorization, settings, callBuckets } = gateway;
  const formsOf = createFormIds(graph);
  const uses = createUses({
    isEnforced,
    log,
    observers,
    isKnown: (formId) => formsOf().has(formId) || file.roles.values().some(({ content }) => formId in content.forms),
  });
  const toRights = (role: Role): RoleRights => {
    const { callsPerMinute } = role.content;
    const bucketsOf = createShares({
      name: 'role',
      shares: new Map(callsPerMinute ? [[role.name, callsPerMinute]] : []),
    });
    const [...buckets] = bucketsOf(role.name);
    const takeCall = () => (buckets.length === 0 ? 0 : callBuckets.take(buckets));
    return createRights(role, { isEnforced, uses, takeCall, definitionsMs: settings.CACHE_DEFINITIONS_MS });
  };
  const rights = new Map([...file.roles.values()].map((role) => [role, toRights(role)]));
  const nobody = toRights(new Role('(none)', NO_RIGHTS));
  const roleOf = ({ name, claims }: Viewer): Role | undefined =>
    callers.auth === 'key' ? file.roles.get(file.callers.get(name) ?? '') : roleOfClaims(file, claims);

  authorization.rightsOf = (viewer) => {
    const role = roleOf(viewer);
    const own = role && rights.get(role);
    if (own) return own;
    if (isEnforced) throw new RequestError(403, 'You have no role on this gateway.', { cause: 'no role' });
    return nobody;
  };
  const all = new Map([...rights.values(), nobody].map((one) => [one as unknown, one]));
  graph.addStep(
    'whole',
    (schema) =>
      new GraphQLSchema({
        ...schema.toConfig(),
        extensions: {
          ...schema.extensions,
          findRefusals: (operation, given, { rights: own }) => all.get(own)?.findRefusals(operation, given) ?? [],
        },
        assumeValid: true,
      }),
  );

  const keys = callers.auth === 'key' ? callers.keys.map(({ name }) => name) : undefined;
  const findWarnings = () => warningsOf(file, keys, formsOf());
  for (const warning of warningsOf(file, keys, new Set())) log.warn(warning);
  facts.gauges.push({
    name: 'caseway_role_refusals_total',
    help: 'What roles did not allow, by role, verb and form.',
    type: 'counter',
    label: 'right',
    read: () => Object.fromEntries(uses.refusals),
  });
  facts.status.push(
    () => findWarnings().map((text) => ({ title: 'Roles', text })),
    () => (isEnforced ? [] : [{ title: 'Roles', text: 'ROLES_MODE=log: nothing is refused.' }]),
    () => [...file.roles.values()].map((role) => describeUnused(role, uses)),
  );
}

/** Gives the forms of the current schema. */
function createFormIds(graph: GatewayParts['graph']): () => ReadonlySet<string> {
  let known: { readonly schema: GraphQLSchema; readonly formIds: ReadonlySet<string> } | undefined;
  return () => {
    const { schema } = graph.current();
    if (known?.schema === schema) return known.formIds;
    const types = Object.values(schema.getTypeMap()).filter(isObjectType);
    known = { schema, formIds: new Set(types.flatMap(({ extensions: { form } }) => form?.formId ?? [])) };
    return known.formIds;
  };
}

/** What in a file has no effect. Without forms in the schema nothing is said of forms. */
function warningsOf(
  { roles, callers }: RolesFile,
  keys: readonly string[] | undefined,
  formIds: ReadonlySet<string>,
): readonly string[] {
  const named = new Set(roles.values().flatMap(({ content }) => Object.keys(content.forms)));
  const missing = formIds.size === 0 ? [] : [...named].filter((formId) => formId !== '*' && !formIds.has(formId));
  const keyless = keys ? [...callers.keys()].filter((caller) => !keys.includes(caller)) : [];
  const idle = keys ? [...roles.keys()].filter((role) => ![...callers.values()].includes(role)) : [];
  return [
    ...missing.map((formId) => `The form ${formId} is not there yet, or has no type.`),
    ...keyless.map((caller) => `The caller ${caller} has no key.`),
    ...idle.map((role) => `The role ${role} has no callers.`),
  ];
}

/** Of so many rights the names are shown. */
const MAX_SHOWN = 50;

function describeUnused(role: Role, uses: Uses): StatusLine {
  const unused = uses.unused(role);
  const more = unused.length > MAX_SHOWN ? `, and ${unused.length - MAX_SHOWN} more` : '';
  const text = unused.length === 0 ? 'all rights were used' : `not used yet: ${unused.slice(0, MAX_SHOWN).join(', ')}`;
  return { title: `Role ${role.name}`, text: text + more };
}
