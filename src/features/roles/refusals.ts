import type { CurrentRequest } from '../../core/observers.ts';
import type { GatewayParts } from '../../feature.ts';
import { createMemoryBuckets } from '../../upstream/call-buckets.ts';
import type { Role } from './role.ts';

/** What roles did, and what they were refused. */
export type Uses = ReturnType<typeof createUses>;

interface UsesOptions extends Pick<GatewayParts, 'log' | 'observers'> {
  readonly isEnforced: boolean;
  /** Whether a form is one of few; others are clients' texts. */
  readonly isKnown: (formId: string) => boolean;
}

/** Ten lines, and ten more each second. */
const LINES = { name: 'lines', max: 10, start: 10, least: 0, callsPerMs: 0.01 };

export function createUses({ isEnforced, log, observers, isKnown }: UsesOptions) {
  const used = new Map<string, Set<string>>();
  const refusals = new Map<string, number>();
  const noted = new WeakMap<CurrentRequest, Set<string>>();
  const lines = createMemoryBuckets();

  /** Each once in a request: a hundred aliases must not be a hundred lines of the audit, which has no limit. */
  const isFirst = (key: string): boolean => {
    const request = observers.current();
    if (request === undefined) return true;
    const keys = noted.get(request) ?? new Set();
    if (keys.has(key)) return false;
    noted.set(request, keys.add(key));
    return true;
  };
  const note = (role: string, what: string, formId: string | undefined): void => {
    if (isEnforced) observers.denied({ role, what, formId });
    if (lines.take([LINES]) > 0) return;
    const { ids, who } = observers.current() ?? {};
    const message = isEnforced ? 'a role does not allow this' : 'a role would not allow this';
    log.warn({ ...ids, role, what, form: formId, caller: who?.caller }, message);
  };
  return {
    /** By role, word and form. */
    refusals,
    /** Notes that a role has used a right. */
    allowed(role: Role, right: string): void {
      const ofRole = used.get(role.name) ?? new Set();
      used.set(role.name, ofRole.add(right));
    },
    /** Notes that a role may not do something. @returns whether that is refused. */
    refused({ name: role }: Role, what: string, given?: string): boolean {
      const formId = given !== undefined && isKnown(given) ? given : undefined;
      const key = `${role}: ${what} ${formId ?? (given === undefined ? '' : 'another form')}`.trimEnd();
      if (!isFirst(key)) return isEnforced;
      refusals.set(key, (refusals.get(key) ?? 0) + 1);
      note(role, what, formId);
      return isEnforced;
    },
    /** The rights of a role that nobody has used. */
    unused: (role: Role) => role.rights.filter((right) => !used.get(role.name)?.has(right)),
  };
}
