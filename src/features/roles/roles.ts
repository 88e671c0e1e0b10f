import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type GraphQLSchema, isObjectType } from 'graphql';

import type { Config } from '../../config/config.ts';
import { isPipe } from '../../config/files.ts';
import { ConfigError, createReport, type Report } from '../../config/load.ts';
import { counter } from '../../core/facts.ts';
import type { Log } from '../../core/log.ts';
import type { CurrentRequest, Denial } from '../../core/observers.ts';
import { documentPlaces, type NamedDocument } from '../../graphql/admission/documents.ts';
import { createPersistedDocuments } from '../../graphql/admission/persisted-documents.ts';
import { readTrusted, type TrustedOptions } from '../../graphql/admission/trusted-documents.ts';
import { RequestError } from '../../http/errors.ts';
import type { ConfiguredFeature, Gateway } from '../feature.ts';
import { NO_ROLE, type RolesFile, readRolesFile, roleOfClaims } from './file.ts';
import { createPermissions, type RolePermissions } from './permissions.ts';
import { ALL, type Role } from './role.ts';

interface RolesOptions extends Pick<Config, 'callers'> {
  readonly path: string;
  /** `log` refuses nothing. */
  readonly mode: 'enforce' | 'log';
  /** The highest number of reserved calls per minute. `undefined` without a call budget. */
  readonly maxReserved: number | undefined;
}

/** A file of roles, and the documents of roles that have their own, by role name. */
interface RolesContent {
  readonly file: RolesFile;
  readonly documents: ReadonlyMap<string, readonly NamedDocument[]>;
}

/** Creates the roles of a gateway. A changed file replaces them. */
export function createRoles(
  given: RolesFile,
  { path, callers, mode, maxReserved }: RolesOptions,
): ConfiguredFeature {
  const isEnforced = mode === 'enforce';
  const folderOf = ({ content }: Role) =>
    content.documents && resolve(dirname(path), content.documents);
  const readDocuments = async (
    options: Omit<TrustedOptions, 'settings'>,
    from: RolesFile,
    report: Report,
  ) => {
    const documents = new Map<string, readonly NamedDocument[]>();
    for (const role of from.roles.values()) {
      const DOCUMENTS = folderOf(role);
      if (DOCUMENTS === undefined) continue;
      const place = `${path}: roles.${role.name}.documents`;
      // Reading a pipe could block the reload of a changed file. The folders are known only now, so
      // the check is here.
      if (documentPlaces(DOCUMENTS).some(isPipe)) {
        report('ROLES', `${place}: there is a pipe, which cannot be read again`);
        continue;
      }
      const own = { ...options, settings: { DOCUMENTS, DOCUMENTS_MODE: mode } };
      documents.set(
        role.name,
        await readTrusted(own, (problem) => report('ROLES', `${place}: ${problem}`)),
      );
    }
    return documents;
  };

  return {
    hasDocuments: given.roles.values().every(({ content }) => content.documents),
    async start(rules, gateway) {
      const { authorization } = gateway;
      let file = given;
      let permissions: ReadonlyMap<string, RolePermissions> = new Map();
      const onRefused = createOnRefused(gateway, isEnforced);
      // In `log` mode, documents of roles would refuse nothing, so enforced documents for all
      // callers stay in place.
      const hasOwn = isEnforced || gateway.settings.DOCUMENTS_MODE !== 'enforce';
      const toPermissions = (
        role: Role,
        known?: RolePermissions,
        list?: readonly NamedDocument[],
      ): RolePermissions => {
        const settings = { DOCUMENTS: path, DOCUMENTS_MODE: mode };
        const documents =
          hasOwn && list
            ? (known?.documents ?? createPersistedDocuments({ ...gateway, settings }))
            : undefined;
        documents?.replace(list ?? []);
        // Comparing deeply ignores the order of forms, which has no meaning.
        if (known && isDeepStrictEqual(known.held.content, role.content)) return known;
        return createPermissions(role, { ...gateway, isEnforced, onRefused, documents });
      };
      const nobody = toPermissions(NO_ROLE);
      const swap = ({ file: next, documents }: RolesContent): void => {
        const before = permissions;
        file = next;
        permissions = new Map(
          [...next.roles].map(([name, role]) => [
            name,
            toPermissions(role, before.get(name), documents.get(name)),
          ]),
        );
        if (isEnforced) {
          gateway.upstream.reserveCalls(reservesOf(next));
          warnWithoutBudget(next, maxReserved, gateway.log);
        }
        for (const [name, old] of before) if (permissions.get(name) !== old) authorization.end(old);
      };
      authorization.usePermissions(({ name, claims }) => {
        const role =
          callers.auth === 'key' ? file.callers.get(name) : roleOfClaims(file, claims)?.name;
        const own = permissions.get(role ?? '');
        if (own) return own;
        if (!isEnforced) return nobody;
        throw new RequestError(403, 'You have no role on this gateway.', { cause: 'no role' });
      });

      const problems: string[] = [];
      const options = { ...gateway, rules };
      const documents = await readDocuments(options, file, createReport(problems));
      if (problems.length > 0) throw new ConfigError(problems);
      swap({ file, documents });
      for (const warning of warningsOf(file, callers, gateway.graph.current().schema))
        gateway.log.warn(warning);
      gateway.files.add({
        name: 'ROLES',
        paths: () => {
          const folders = [...file.roles.values()].flatMap((role) => folderOf(role) ?? []);
          return [path, ...folders.flatMap(documentPlaces)];
        },
        async check(report) {
          const next = report.file('ROLES', path, (content) =>
            readRolesFile(content, callers.auth, maxReserved),
          );
          return next && { file: next, documents: await readDocuments(options, next, report) };
        },
        swap: (next) => next && swap(next as RolesContent),
      });
    },
    async checkFiles(readGraph, report, log) {
      const parts = await readGraph();
      for (const warning of warningsOf(given, callers, parts.graph.current().schema))
        log.warn(warning);
      if (isEnforced) warnWithoutBudget(given, maxReserved, log);
      const documents = await readDocuments(parts, given, report);
      const counts = [...documents].map(
        ([name, { length }]) => `${path}: roles.${name}.documents: ${length} documents`,
      );
      return [`${path}: ${given.roles.size} roles`, ...counts].map(
        (text) => ['ROLES', text] as const,
      );
    },
  };
}

const NO_BUDGET =
  'ROLES: callsReserved has no effect without a call budget: set UPSTREAM_CALLS_PER_MINUTE';

/** Returns the reserved calls per minute by role. */
function reservesOf({ roles }: RolesFile): ReadonlyMap<string, number> {
  const reserves = new Map<string, number>();
  for (const [role, { content }] of roles) {
    if (content.callsReserved) reserves.set(role, content.callsReserved);
  }
  return reserves;
}

/** Warns of reserves without a call budget. */
function warnWithoutBudget(file: RolesFile, maxReserved: number | undefined, log: Log): void {
  if (maxReserved === undefined && reservesOf(file).size > 0) log.warn(NO_BUDGET);
}

/**
 * Returns warnings about entries without effect. They do not prevent a start: a revoked key must
 * not lead to a crash loop.
 */
function warningsOf(
  { roles, callers }: RolesFile,
  config: Config['callers'],
  schema: GraphQLSchema,
): readonly string[] {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const typed = new Set(types.flatMap(({ extensions: { form } }) => form?.formId ?? []));
  const named = new Set(roles.values().flatMap(({ content }) => Object.keys(content.forms)));
  const missing =
    typed.size === 0 ? [] : [...named].filter((formId) => formId !== ALL && !typed.has(formId));
  const warnings = missing.map(
    (formId) => `ROLES: the form ${formId} is not there yet, or has no type`,
  );
  if (config.auth !== 'key') return warnings;
  const keys = new Set(config.keys.map(({ name }) => name));
  const held = new Set(callers.values());
  const keyless = [...callers.keys()].filter((caller) => !keys.has(caller));
  const idle = [...roles.keys()].filter((role) => !held.has(role));
  warnings.push(...keyless.map((caller) => `ROLES: the caller ${caller} has no key`));
  warnings.push(...idle.map((role) => `ROLES: the role ${role} has no callers`));
  return warnings;
}

/** The maximum length of a quoted form id. The client may have chosen it. */
const MAX_QUOTED_LENGTH = 200;

/**
 * Returns a function that counts and logs disallowed actions, each once per request: a hundred
 * aliases must not produce a hundred lines. Observers count every refusal of a request. Later runs
 * of a live query are outside of a request and are not counted, because the first run already was.
 */
function createOnRefused({ log, observers, facts }: Gateway, isEnforced: boolean) {
  const refusals = new Map<string, number>();
  const noted = new WeakMap<CurrentRequest, Set<string>>();
  const denials = new WeakMap<CurrentRequest, { readonly first: Denial; count: number }>();
  observers.add({
    ended(request) {
      const denied = denials.get(request);
      if (denied) observers.denied(denied.first, denied.count, request.ids);
    },
  });
  const message = isEnforced ? 'a role does not allow this' : 'a role would not allow this';
  const help = 'What roles did not allow, by role and verb.';
  const total = counter('caseway_role_refusals_total', help, () => Object.fromEntries(refusals));
  facts.gauges.push({ ...total, label: 'right' });
  return (role: string, what: string, formId: string | undefined): void => {
    const request = observers.current();
    if (request === undefined) return;
    const keys = noted.get(request) ?? new Set();
    const form = formId?.slice(0, MAX_QUOTED_LENGTH);
    const right = `${role}: ${what}`;
    if (isEnforced) {
      const first = { role, what, formId: form, ...request.who };
      const denied = denials.get(request) ?? { first, count: 0 };
      denied.count++;
      denials.set(request, denied);
    }
    // In `log` mode the request continues, so each form is logged.
    const key = isEnforced ? right : `${right} ${form}`;
    if (keys.has(key)) return;
    noted.set(request, keys.add(key));
    refusals.set(right, (refusals.get(right) ?? 0) + 1);
    log.warn({ ...request.ids, role, what, form, caller: request.who?.caller }, message);
  };
}
