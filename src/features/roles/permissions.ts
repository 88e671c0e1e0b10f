import type { GraphQLSchema } from 'graphql';
import { UpstreamError } from '../../core/errors.ts';
import { oncePer } from '../../core/once-per.ts';
import { LIMITS } from '../../graphql/admission/limits.ts';
import type { SelectedOperation } from '../../graphql/admission/selections.ts';
import type { CallerPermissions } from '../../http/auth/identity.ts';
import { createShares, type Share } from '../../upstream/call-buckets.ts';
import type { Gateway } from '../feature.ts';
import { demandsOf, refusal } from './admission.ts';
import { guardUpstream } from './guard.ts';
import { type Demand, type Role, wordOf } from './role.ts';
import { withoutOtherForms } from './visible-schema.ts';

interface PermissionsOptions
  extends Pick<Gateway, 'store' | 'callBuckets'>,
    Pick<CallerPermissions, 'documents'> {
  /** Whether disallowed actions are refused. Otherwise they are run and logged. */
  readonly isEnforced: boolean;
  /** Called for each action that the role does not allow. */
  readonly onRefused: (role: string, what: string, formId: string | undefined) => void;
}

/** The permissions of a role in one gateway. */
export interface RolePermissions extends CallerPermissions {
  readonly held: Role;
}

export function createPermissions(role: Role, options: PermissionsOptions): RolePermissions {
  const { store, callBuckets, documents, isEnforced, onRefused } = options;
  const { callsPerMinute: calls } = role.content;
  const shares = new Map<string, Share>(
    calls && isEnforced ? [[role.name, { of: 'role', calls }]] : [],
  );
  const bucketsOf = createShares({ name: 'role', shares });
  const isRefused = (demand: Demand): boolean => {
    if (role.allows(demand)) return false;
    onRefused(role.name, wordOf(demand), 'formId' in demand ? demand.formId : undefined);
    return isEnforced;
  };
  const check = (operation: string, demand: Demand): void => {
    if (isRefused(demand))
      throw new UpstreamError('forbidden', { operation, isUnsent: true, isFinal: true });
  };
  const { lookable } = role;
  const toVisible = oncePer((schema: GraphQLSchema) =>
    lookable ? withoutOtherForms(schema, lookable) : schema,
  );

  return {
    held: role,
    role: role.name,
    documents,
    schemaOf(schema) {
      if (!isEnforced) return schema;
      return role.allows({ of: 'schema' }) ? toVisible(schema) : undefined;
    },
    mayLookAt: (formId) => !isEnforced || role.allows({ of: 'forms', verb: 'look at', formId }),
    guard: (upstream) =>
      guardUpstream(upstream, {
        role,
        isEnforced,
        check,
        store,
        takeCall: (caller) =>
          shares.size > 0 ? callBuckets.take(bucketsOf(role.name, caller)) : undefined,
      }),
    check,
    findRefusals(operation: SelectedOperation, given) {
      const demands = demandsOf(operation, given);
      // Without variables this is only a preview, which must not be logged as a refusal.
      const isRefusedNow = given
        ? isRefused
        : (demand: Demand) => isEnforced && !role.allows(demand);
      const refused = demands.filter(([, demand]) => isRefusedNow(demand));
      // Each response key gets one error, even if several fragments select it.
      const places = new Map(refused.map(([selection]) => [selection.key, selection]));
      return [...places.values()].slice(0, LIMITS.errors).map((place) => refusal(place, operation));
    },
  };
}
