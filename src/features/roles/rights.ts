import { orUndefined, UpstreamError } from '../../core/errors.ts';
import type { GatewayParts } from '../../feature.ts';
import { LIMITS } from '../../graphql/admission/limits.ts';
import type { PersistedDocuments } from '../../graphql/admission/persisted-documents.ts';
import type { SelectedOperation, Variables } from '../../graphql/admission/selections.ts';
import type { CallerRights } from '../../http/auth/identity.ts';
import { createShares } from '../../upstream/call-buckets.ts';
import type { OperationName } from '../../upstream/operations.ts';
import type { InstanceRecord } from '../../upstream/records.ts';
import { type RootField, refusal, rootFieldsOf } from './admission.ts';
import { guardUpstream, toReadable } from './guard.ts';
import type { Uses } from './refusals.ts';
import { type Act, type Role, type Subject, wordOf } from './role.ts';

interface RightsOptions extends Pick<GatewayParts, 'settings' | 'callBuckets'> {
  readonly isEnforced: boolean;
  readonly uses: Uses;
  readonly documents: PersistedDocuments | undefined;
}

/** A role's rights in one gateway. */
export interface RoleRights extends CallerRights {
  readonly held: Role;
}

export function createRights(
  role: Role,
  { settings, callBuckets, isEnforced, uses, documents }: RightsOptions,
): RoleRights {
  const { callsPerMinute } = role.content;
  const shares = new Map(callsPerMinute && isEnforced ? [[role.name, callsPerMinute]] : []);
  const buckets = createShares({ name: 'role', shares })(role.name);
  /** Notes whether the role may do it. */
  const isRefused = (act: Act, subject: Subject): boolean => {
    if (!role.allows(act, subject)) return uses.refused(role, wordOf(act, subject), subject.formId);
    uses.allowed(role, role.rightFor(act, subject));
    return false;
  };
  const check = (operation: OperationName, subject: Subject): void => {
    if (isRefused(operation, subject)) throw forbidden(operation);
  };
  const isFieldRefused = ({ demandOf }: RootField, given: Variables | undefined): boolean => {
    const demand = given ? demandOf(given) : orUndefined(() => demandOf(undefined));
    if (demand === undefined) return false;
    const [act, subject] = demand;
    // Whatever the variables: nobody has asked for it, so nothing is noted.
    if (given === undefined) return isEnforced && !role.allows(act, subject);
    const isCall = act !== 'schema' && act !== 'extension';
    // The guard notes what is not refused here.
    if (isCall && (!isEnforced || role.allows(act, subject))) return false;
    return isRefused(act, subject);
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
    // Those of all callers stay enforced where these would refuse nothing.
    documents: isEnforced || settings.DOCUMENTS_MODE !== 'enforce' ? documents : undefined,
    hasSchema: !isEnforced || role.allows('schema', {}),
    guard: (upstream) =>
      guardUpstream(upstream, {
        role,
        check,
        isEnforced,
        definitionsMs: settings.CACHE_DEFINITIONS_MS,
        takeCall: () => (buckets.length === 0 ? 0 : callBuckets.take(buckets)),
        refuseSearch(operation, formId) {
          if (uses.refused(role, 'search', formId)) throw forbidden(operation);
        },
      }),
    mayRead: (formId) => role.allows('getFormIntance', { formId }),
    checkChange: check,
    toReadable<T>(operation: OperationName, outcome: T): T {
      if (operation !== 'createFormIntance') return outcome;
      const created = outcome as InstanceRecord;
      return (isEnforced ? toReadable(role, created) : noteReads(created)) as T;
    },
    findRefusals(operation: SelectedOperation, given) {
      const fields = known.get(operation) ?? rootFieldsOf(operation);
      known.set(operation, fields);
      const refused = fields.filter((field) => isFieldRefused(field, given));
      return refused.slice(0, LIMITS.errors).map(({ selection }) => refusal(selection));
    },
  };
}

const forbidden = (operation: OperationName): UpstreamError =>
  new UpstreamError('forbidden', { operation, isUnsent: true, isFinal: true });
