import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isObjectType } from 'graphql';

import { type Config, createReport, type Report } from '../../config/config.ts';
import { ConfigError, readText } from '../../config/load.ts';
import type { StatusLine } from '../../core/facts.ts';
import type { Log } from '../../core/log.ts';
import type { ConfiguredFeature, GatewayParts } from '../../feature.ts';
import { documentPlaces, type NamedDocument } from '../../graphql/admission/documents.ts';
import {
  createPersistedDocuments,
  type PersistedDocuments,
  readTrusted,
  type TrustedOptions,
} from '../../graphql/admission/persisted-documents.ts';
import { RequestError } from '../../http/errors.ts';
import { NO_RIGHTS, type RolesFile, readRolesFile, roleOfClaims } from './file.ts';
import { createUses, type Uses } from './refusals.ts';
import { createRights, type RoleRights } from './rights.ts';
import { Role } from './role.ts';

interface RolesOptions extends Pick<Config, 'callers'> {
  readonly path: string;
  readonly mode: 'enforce' | 'log';
}

/** A file of roles, and the documents of those that have their own, by the names of the roles. */
interface RolesContent {
  readonly file: RolesFile;
  readonly documents: ReadonlyMap<string, readonly NamedDocument[]>;
}

/** Makes the roles of a gateway, which a changed file replaces. */
export function createRoles(given: RolesFile, { path, callers, mode }: RolesOptions): ConfiguredFeature {
  const isEnforced = mode === 'enforce';
  const keys = callers.auth === 'key' ? callers.keys.map(({ name }) => name) : undefined;
  const folderOf = ({ content }: Role) => content.documents && resolve(dirname(path), content.documents);
  const readDocuments = async (options: Omit<TrustedOptions, 'settings'>, from: RolesFile, report: Report) => {
    const documents = new Map<string, readonly NamedDocument[]>();
    for (const role of from.roles.values()) {
      const DOCUMENTS = folderOf(role);
      if (DOCUMENTS === undefined) continue;
      const place = `${path}: roles.${role.name}.documents`;
      const settings = { DOCUMENTS, DOCUMENTS_MODE: mode };
      const own = await readTrusted({ ...options, settings }, (problem) => report('ROLES', `${place}: ${problem}`));
      documents.set(role.name, own);
    }
    return documents;
  };
  const warn = (log: Log) => {
    for (const warning of warningsOf(given, keys, new Set())) log.warn(warning);
  };
  let start: NonNullable<ConfiguredFeature['start']>;

  const open = (gateway: GatewayParts): void => {
    const { graph, authorization, facts, log } = gateway;
    let file = given;
    let rights: ReadonlyMap<string, RoleRights> = new Map();
    let formIds: ReadonlySet<string> = new Set();
    /** Of a role, whatever else of it changes. */
    let documentsOf: ReadonlyMap<string, PersistedDocuments> = new Map();
    const isNamed = (formId: string) => file.roles.values().some((role) => role.names(formId));
    const isKnown = (formId: string) => formIds.has(formId) || isNamed(formId);
    const uses = createUses({ ...gateway, isEnforced, isKnown });
    const openRights = (role: Role): RoleRights =>
      createRights(role, { ...gateway, isEnforced, uses, documents: documentsOf.get(role.name) });
    const swap = ({ file: next, documents }: RolesContent): void => {
      const before = rights;
      const options = { ...gateway, settings: { DOCUMENTS: path, DOCUMENTS_MODE: mode } };
      const toDocuments = ([name, list]: readonly [string, readonly NamedDocument[]]) => {
        const own = documentsOf.get(name) ?? createPersistedDocuments(options);
        own.replace(list);
        return [name, own] as const;
      };
      documentsOf = new Map([...documents].map(toDocuments));
      const toRights = (role: Role): RoleRights => {
        const known = before.get(role.name);
        // The order of forms means nothing.
        return known && isDeepStrictEqual(known.held.content, role.content) ? known : openRights(role);
      };
      file = next;
      rights = new Map([...next.roles].map(([name, role]) => [name, toRights(role)]));
      for (const [name, old] of before) if (rights.get(name) !== old) authorization.end?.(old);
    };

    const nobody = openRights(new Role('(none)', NO_RIGHTS));
    authorization.rightsOf = ({ name, claims }) => {
      const role = callers.auth === 'key' ? file.callers.get(name) : roleOfClaims(file, claims)?.name;
      const own = rights.get(role ?? '');
      if (own) return own;
      if (isEnforced) throw new RequestError(403, 'You have no role on this gateway.', { cause: 'no role' });
      return nobody;
    };
    graph.addStep('whole', (schema) => {
      const types = Object.values(schema.getTypeMap()).filter(isObjectType);
      formIds = new Set(types.flatMap(({ extensions: { form } }) => form?.formId ?? []));
      return schema;
    });
    warn(log);
    facts.gauges.push({
      name: 'caseway_role_refusals_total',
      help: 'What roles did not allow, by role, verb and form.',
      type: 'counter',
      label: 'right',
      read: () => Object.fromEntries(uses.refusals),
    });
    facts.status.push(() => [
      ...warningsOf(file, keys, formIds).map((text) => ({ title: 'Roles', text })),
      ...(isEnforced ? [] : [{ title: 'Roles', text: 'ROLES_MODE=log: nothing is refused.' }]),
      ...[...file.roles.values()].map((role) => describeUnused(role, uses)),
    ]);
    start = async (rules) => {
      const problems: string[] = [];
      const options = { ...gateway, rules };
      const documents = await readDocuments({ ...options, read: readText }, file, createReport(problems));
      if (problems.length > 0) throw new ConfigError(problems);
      swap({ file, documents });
      gateway.files.add({
        name: 'ROLES',
        isSecret: false,
        paths: () => [
          path,
          ...[...file.roles.values()].map(folderOf).flatMap((own) => (own ? documentPlaces(own) : [])),
        ],
        async check(read, report) {
          const next = report.file('ROLES', path, (content) => readRolesFile(content, callers.auth));
          return next && { file: next, documents: await readDocuments({ ...options, read }, next, report) };
        },
        swap: (next) => next && swap(next as RolesContent),
      });
    };
  };
  return {
    hasDocuments: given.roles.values().every(({ content }) => content.documents),
    open,
    start: (rules) => start(rules),
    async checkFiles(readGraph, report, log) {
      warn(log);
      const hasOwn = given.roles.values().some(({ content }) => content.documents);
      const documents = hasOwn ? await readDocuments(await readGraph(), given, report) : new Map<string, []>();
      const counts = [...documents].map(
        ([name, { length }]) => `${path}: roles.${name}.documents: ${length} documents`,
      );
      return [`${path}: ${given.roles.size} roles`, ...counts].map((text) => ['ROLES', text] as const);
    },
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
