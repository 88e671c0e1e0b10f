import { z } from 'zod';

import type { FileReading } from '../../config/files.ts';
import { isJsonObject, valueAt } from '../../core/json.ts';
import { stricterOf } from '../../upstream/call-budget.ts';
import { ALL, Role } from './role.ts';
import { nameSchema, roleSchema } from './role-schema.ts';

/** The roles of a file, and their holders. */
export interface RolesFile {
  /** In the order of the file. */
  readonly roles: ReadonlyMap<string, Role>;
  /** The names of roles, by the names of API keys. */
  readonly callers: ReadonlyMap<string, string>;
  /** The path of the token claim that contains roles. `undefined` if tokens have no roles. */
  readonly claim: readonly string[] | undefined;
}

/** JavaScript objects list integer-like keys first, but the order of roles matters. */
const roleName = nameSchema.refine((text) => !/^\d+$/.test(text), {
  error: 'the name of a role must not be a number alone',
});

/** The role of callers without a role, if nothing is refused. */
export const NO_ROLE = new Role('(none)', roleSchema.parse({}));

const fileSchema = z.strictObject({
  claim: z.union([nameSchema, z.array(nameSchema).min(1)]).optional(),
  callers: z.record(nameSchema, nameSchema).default({}),
  roles: z.record(roleName, roleSchema),
});

/**
 * The calls per minute that no role may reserve: a sixth of them is the burst of two calls that
 * other callers and the token need.
 */
const UNRESERVED = 12;

/**
 * Returns the highest number of calls per minute that all roles together may reserve. `undefined`
 * without a call budget.
 */
export function maxReservedOf(limits: Parameters<typeof stricterOf>[0]): number | undefined {
  const stricter = stricterOf(limits);
  return stricter && Math.max(0, Math.min(stricter / 2, stricter - UNRESERVED));
}

/**
 * Reads roles from the content of a JSON file. Unknown members are problems.
 *
 * @param auth the value of `CALLER_AUTH`. With `jwt`, the claim is required.
 * @param maxReserved the highest number of calls per minute that all roles together may reserve.
 */
export function readRolesFile(
  content: unknown,
  auth?: string,
  maxReserved = Number.POSITIVE_INFINITY,
): FileReading<RolesFile> {
  const { success, data, error } = fileSchema.safeParse(content);
  if (!success)
    return { problems: error.issues.map((issue) => `${toPath(issue.path)}: ${reasonOf(issue)}`) };
  const { claim, callers, roles } = data;
  const problems = Object.entries(callers).flatMap(([caller, role]) =>
    Object.hasOwn(roles, role)
      ? []
      : [`${toPath(['callers', caller])}: there is no role ${JSON.stringify(role)}`],
  );
  let reserved = 0;
  for (const [role, { forms, callsReserved = 0 }] of Object.entries(roles)) {
    reserved += callsReserved;
    for (const [formId, verbs] of Object.entries(forms)) {
      if (!forms[ALL]?.some((verb) => !verbs.includes(verb))) continue;
      problems.push(
        `${toPath(['roles', role, 'forms', formId])}: allows less than ${ALL}, which is all forms: name the others`,
      );
    }
  }
  if (reserved > maxReserved) {
    problems.push(
      `callsReserved: all roles reserve ${reserved} calls a minute, and the call budget allows ${Math.floor(maxReserved)}: reserve less, or raise UPSTREAM_CALLS_PER_MINUTE or UPSTREAM_CALLS_PER_HOUR`,
    );
  }
  if (auth === 'jwt' && claim === undefined) problems.push('claim: is needed with CALLER_AUTH=jwt');
  if (problems.length > 0) return { problems };
  return {
    value: {
      roles: new Map(Object.entries(roles).map(([role, given]) => [role, new Role(role, given)])),
      callers: new Map(Object.entries(callers)),
      claim: typeof claim === 'string' ? [claim] : claim,
    },
  };
}

/** Returns the message of an issue. For a member's name, zod nests the message one level deeper. */
const reasonOf = (issue: z.core.$ZodIssue): string =>
  (issue.code === 'invalid_key' && issue.issues[0]?.message) || issue.message;

const toPath = (path: readonly PropertyKey[]): string => path.join('.') || 'the whole';

/** Returns the first role in the file that a token contains; `undefined` if there is no match. */
export function roleOfClaims({ claim, roles }: RolesFile, claims: unknown): Role | undefined {
  const named = [claim && memberAt(claims, claim)].flat();
  return roles.values().find((role) => named.includes(role.name));
}

/** Returns the value at a path of members; `undefined` if a member is missing. */
export const memberAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((inner, member) => (isJsonObject(inner) ? valueAt(inner, member) : undefined), value);
