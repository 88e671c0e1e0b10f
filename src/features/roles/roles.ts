import { dirname, resolve } from 'node:path';
import { GraphQLSchema, isObjectType } from 'graphql';

import { type Config, createReport, type Report } from '../../config/config.ts';
import { ConfigError, readText } from '../../config/load.ts';
import type { StatusLine } from '../../core/facts.ts';
import type { Log } from '../../core/log.ts';
import type { ConfiguredFeature, GatewayParts } from '../../feature.ts';
import { documentPlaces, type NamedDocument } from '../../graphql/admission/documents.ts';
import {
  createPersistedDocuments,
  type DocumentRule,
  type PersistedDocuments,
  readTrusted,
  type TrustedOptions,
} from '../../graphql/admission/persisted-documents.ts';
import type { Viewer } from '../../graphql/context.ts';
import { RequestError } from '../../http/errors.ts';
import { createShares } from '../../upstream/call-buckets.ts';
import { type RolesFile, readRolesFile, roleOfClaims } from './file.ts';
import { createUses, type Uses } from './refusals.ts';
import { createRights, type RoleRights } from './rights.ts';
import { NO_RIGHTS, Role } from './role.ts';

interface RolesOptions extends Pick<Config, 'callers'> {
  readonly path: string;
  readonly auth: string;
  readonly isEnforced: boolean;
}

/** A file of roles, and the documents of those that have their own, by the names of the roles. */
interface RolesContent {
  readonly file: RolesFile;
  readonly documents: ReadonlyMap<string, readonly NamedDocument[]>;
}

/** Makes the roles of a gateway, which a changed file replaces. */
export function createRoles(given: RolesFile, { path, auth, callers, isEnforced }: RolesOptions): ConfiguredFeature {
  let file = given;
  let rights: ReadonlyMap<string, RoleRights> = new Map();
  let gateway: GatewayParts;
  let rules: readonly DocumentRule[] = [];
  /** Of a role, whatever else of it changes. */
  const documentsOf = new Map<string, PersistedDocuments>();
  const keys = callers.auth === 'key' ? callers.keys.map(({ name }) => name) : undefined;
  const warn = (log: Log) => {
    for (const warning of warningsOf(file, keys, new Set())) log.warn(warning);
  };
  const mode = isEnforced ? ('enforce' as const) : ('log' as const);
  const folderOf = ({ content }: Role) => content.documents && resolve(dirname(path), content.documents);

  const readDocuments = async (given: Omit<TrustedOptions, 'settings'>, from: RolesFile, report: Report) => {
    const documents = new Map<string, readonly NamedDocument[]>();
    for (const role of from.roles.values()) {
      const DOCUMENTS = folderOf(role);
      if (DOCUMENTS === undefined) continue;
      const place = `${path}: roles.${role.name}.documents`;
      const options = { ...given, settings: { DOCUMENTS, DOCUMENTS_MODE: mode } };
      documents.set(role.name, await readTrusted(options, (problem) => report('ROLES', `${place}: ${problem}`)));
    }
    return documents;
  };
  const swap = ({ file: next, documents }: RolesContent, uses: Uses): void => {
    const before = rights;
    for (const [name, list] of documents) {
      const settings = { DOCUMENTS: path, DOCUMENTS_MODE: mode };
      const own = documentsOf.get(name) ?? createPersistedDocuments({ ...gateway, settings });
      own.replace(list);
      documentsOf.set(name, own);
    }
    const toRights = (role: Role): RoleRights => {
      const known = before.get(role.name);
      return known?.held.equals(role) ? known : openRights(role, uses);
    };
    file = next;
    rights = new Map([...next.roles].map(([name, role]) => [name, toRights(role)]));
    for (const [name, old] of before) if (rights.get(name) !== old) gateway.authorization.end?.(old);
  };
  const openRights = (role: Role, uses: Uses): RoleRights => {
    const { callsPerMinute, documents } = role.content;
    const shares = new Map(callsPerMinute && isEnforced ? [[role.name, callsPerMinute]] : []);
    const buckets = createShares({ name: 'role', shares })(role.name);
    return createRights(role, {
      isEnforced,
      uses,
      takeCall: () => (buckets.length === 0 ? 0 : gateway.callBuckets.take(buckets)),
      definitionsMs: gateway.settings.CACHE_DEFINITIONS_MS,
      // Those of all callers stay enforced where these would refuse nothing.
      documents:
        documents === undefined || (!isEnforced && gateway.settings.DOCUMENTS_MODE === 'enforce')
          ? undefined
          : documentsOf.get(role.name),
    });
  };
  const roleOf = ({ name, claims }: Viewer): Role | undefined =>
    callers.auth === 'key' ? file.roles.get(file.callers.get(name) ?? '') : roleOfClaims(file, claims);

  const open = (parts: GatewayParts): void => {
    gateway = parts;
    const { graph, log, authorization, facts, files } = parts;
    const formsOf = createFormIds(graph);
    const uses = createUses({
      ...parts,
      isEnforced,
      isKnown: (id) => formsOf().has(id) || file.roles.values().some((role) => role.names(id)),
    });
    const nobody = openRights(new Role('(none)', NO_RIGHTS), uses);
    swap({ file, documents: new Map() }, uses);
    authorization.rightsOf = (viewer) => {
      const own = rights.get(roleOf(viewer)?.name ?? '');
      if (own) return own;
      if (isEnforced) throw new RequestError(403, 'You have no role on this gateway.', { cause: 'no role' });
      return nobody;
    };
    graph.addStep('whole', withRefusals);
    warn(log);
    facts.gauges.push({
      name: 'caseway_role_refusals_total',
      help: 'What roles did not allow, by role, verb and form.',
      type: 'counter',
      label: 'right',
      read: () => Object.fromEntries(uses.refusals),
    });
    facts.status.push(
      () => warningsOf(file, keys, formsOf()).map((text) => ({ title: 'Roles', text })),
      () => (isEnforced ? [] : [{ title: 'Roles', text: 'ROLES_MODE=log: nothing is refused.' }]),
      () => [...file.roles.values()].map((role) => describeUnused(role, uses)),
    );
    start = async (given) => {
      rules = given;
      const problems: string[] = [];
      const documents = await readDocuments({ ...gateway, read: readText, rules }, file, createReport(problems));
      if (problems.length > 0) throw new ConfigError(problems);
      rights = new Map();
      swap({ file, documents }, uses);
      files.add({
        name: 'ROLES',
        isSecret: false,
        paths: () => [path, ...[...file.roles.values()].flatMap((role) => documentPlacesOf(folderOf(role)))],
        async check(read, report) {
          const next = report.file('ROLES', path, (content) => readRolesFile(content, auth));
          return next && { file: next, documents: await readDocuments({ ...gateway, read, rules }, next, report) };
        },
        swap: (next) => next && swap(next as RolesContent, uses),
      });
    };
  };
  let start: NonNullable<ConfiguredFeature['start']>;
  const hasDocuments = [...given.roles.values()].every(({ content }) => content.documents);
  const checkFiles: ConfiguredFeature['checkFiles'] = async (readGraph, report, log) => {
    warn(log);
    const hasOwn = given.roles.values().some(({ content }) => content.documents);
    const documents = hasOwn ? await readDocuments(await readGraph(), given, report) : new Map<string, []>();
    const counts = [...documents].map(([name, { length }]) => `${path}: roles.${name}.documents: ${length} documents`);
    return [`${path}: ${given.roles.size} roles`, ...counts].map((text) => ['ROLES', text] as const);
  };
  return { hasDocuments, checkFiles, open, start: (checks) => start(checks) };
}

const documentPlacesOf = (folder: string | undefined): readonly string[] =>
  folder === undefined ? [] : documentPlaces(folder);

/** Gives a schema whose operations are looked at before they run. */
const withRefusals = (schema: GraphQLSchema): GraphQLSchema =>
  new GraphQLSchema({
    ...schema.toConfig(),
    extensions: {
      ...schema.extensions,
      findRefusals: (operation, given, { rights }) => (rights as RoleRights).findRefusals(operation, given),
    },
    assumeValid: true,
  });

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
