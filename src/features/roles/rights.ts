import type { GraphQLError } from 'graphql';
import { orUndefined } from '../../core/errors.ts';
import { LIMITS } from '../../graphql/admission/limits.ts';
import type { PersistedDocuments } from '../../graphql/admission/persisted-documents.ts';
import type { SelectedOperation, Variables } from '../../graphql/admission/selections.ts';
import type { CallerRights } from '../../http/auth/identity.ts';
import type { OperationName } from '../../upstream/operations.ts';
import type { InstanceRecord } from '../../upstream/records.ts';
import { type Demand, type RootField, refusal, rootFieldsOf } from './admission.ts';
import { guardUpstream, toReadable } from './guard.ts';
import { forbidden, type Uses, whatOf } from './refusals.ts';
import type { Role, Subject } from './role.ts';

interface RightsOptions {
  readonly isEnforced: boolean;
  readonly uses: Uses;
  /** Takes one of the role's calls; gives 0, or how long until there is one, in milliseconds. */
  readonly takeCall: () => number | Promise<number>;
  readonly definitionsMs: number;
  readonly documents: PersistedDocuments | undefined;
}

/** A role's rights in one gateway. */
export interface RoleRights extends CallerRights {
  readonly held: Role;
  /** Gives the fields at the root of an operation that the role may not have. */
  findRefusals(operation: SelectedOperation, given: Variables | undefined): readonly GraphQLError[];
}

export function createRights(
  role: Role,
  { isEnforced, uses, takeCall, definitionsMs, documents }: RightsOptions,
): RoleRights {
  const check = (operation: OperationName, subject: Subject): void => {
    if (role.allows(operation, subject)) {
      if (operation !== 'getForms' && operation !== 'getForm') uses.allowed(role, role.rightFor(operation, subject));
    } else if (uses.refused(role, whatOf(operation, subject), subject.formId)) throw forbidden(operation);
  };
  const isAllowed = (demand: Demand): boolean => {
    if (demand.is === 'schema') return role.hasSchema;
    return demand.is === 'extension'
      ? role.allowsExtension(demand.field)
      : role.allows(demand.operation, demand.subject);
  };
  /** What no call would show is noted here, all else by the guard where it is not refused. */
  const isRefused = (demand: Demand | undefined): boolean => {
    if (demand === undefined) return false;
    const what = demand.is === 'extension' ? `extension ${demand.field}` : 'schema';
    if (isAllowed(demand)) {
      if (demand.is === 'extension') uses.allowed(role, what);
      return false;
    }
    if (demand.is !== 'call') return uses.refused(role, what);
    const { operation, subject } = demand;
    return isEnforced && uses.refused(role, whatOf(operation, subject), subject.formId);
  };
  /** Whether it is refused whatever the variables. Nobody has asked for it, so nothing is noted. */
  const isNever = ({ demandOf }: RootField): boolean => {
    const demand = orUndefined(() => demandOf(undefined));
    return isEnforced && demand !== undefined && !isAllowed(demand);
  };
  /** Where nothing is refused, a content that would not be there is noted by who reads it. */
  const noteReads = ({ formId, instanceId, content }: InstanceRecord): InstanceRecord => ({
    formId,
    instanceId,
    get content() {
      check('getFormIntance', { formId });
      return content;
    },
  });
  const known = new WeakMap<SelectedOperation, readonly RootField[]>();

  return {
    role: role.name,
    held: role,
    documents,
    hasSchema: role.hasSchema || !isEnforced,
    guard: (upstream) =>
      guardUpstream(upstream, {
        role,
        check,
        isEnforced,
        definitionsMs,
        refuseSearch(operation, formId) {
          if (uses.refused(role, 'search', formId)) throw forbidden(operation);
        },
        takeCall,
      }),
    mayRead: (formId) => role.allows('getFormIntance', { formId }),
    checkChange(operation, input) {
      if (isEnforced) check(operation, input);
    },
    toReadable<T>(operation: OperationName, outcome: T): T {
      if (operation !== 'createFormIntance') return outcome;
      const created = outcome as InstanceRecord;
      return (isEnforced ? toReadable(role, created) : noteReads(created)) as T;
    },
    findRefusals(operation, given) {
      const fields = known.get(operation) ?? rootFieldsOf(operation);
      known.set(operation, fields);
      const refused = fields.filter((field) => (given ? isRefused(field.demandOf(given)) : isNever(field)));
      return refused.slice(0, LIMITS.errors).map(({ selection }) => refusal(selection));
    },
  };
}
