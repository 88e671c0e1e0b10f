import { UpstreamError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { CurrentRequest, Observers } from '../../core/observers.ts';
import type { OperationName } from '../../upstream/operations.ts';
import { type Role, type Subject, VERB_OF } from './role.ts';

/** What roles did, and what they were refused. */
export interface Uses {
  /** Notes that a role may do something. */
  allowed(role: Role, right: string): void;
  /** Notes that a role may not. @returns whether that is refused. */
  refused(role: Role, what: string, formId?: string): boolean;
  /** The rights of a role that nobody has used. */
  unused(role: Role): readonly string[];
  /** Refusals, by role, what and form. */
  readonly refusals: ReadonlyMap<string, number>;
}

interface UsesOptions {
  readonly isEnforced: boolean;
  readonly log: Log;
  readonly observers: Pick<Observers, 'current' | 'denied'>;
  /** Whether a form is one of few; others are clients' texts. */
  readonly isKnown: (formId: string) => boolean;
}

const LINES_PER_SECOND = 10;

export function createUses({ isEnforced, log, observers, isKnown }: UsesOptions): Uses {
  const used = new Map<string, Set<string>>();
  const refusals = new Map<string, number>();
  const noted = new WeakMap<CurrentRequest, Set<string>>();
  let second = 0;
  let lines = 0;

  const logRefusal = (details: object): void => {
    const now = Math.floor(performance.now() / 1_000);
    if (now !== second) lines = 0;
    second = now;
    if (++lines > LINES_PER_SECOND) return;
    const { ids, who } = observers.current() ?? {};
    log.warn(
      { ...ids, ...details, caller: who?.caller },
      isEnforced ? 'a role does not allow this' : 'a role would not allow this',
    );
  };
  /** Each once in a request: a hundred aliases must not be a hundred lines of the audit, which has no limit. */
  const isFirst = (key: string): boolean => {
    const request = observers.current();
    if (request === undefined) return true;
    const keys = noted.get(request) ?? new Set();
    if (keys.has(key)) return false;
    noted.set(request, keys.add(key));
    return true;
  };
  return {
    refusals,
    allowed(role, right) {
      const ofRole = used.get(role.name) ?? new Set();
      used.set(role.name, ofRole.add(right));
    },
    refused(role, what, formId) {
      const form = formId !== undefined && isKnown(formId) ? formId : undefined;
      const key = `${role.name}: ${what} ${form ?? (formId === undefined ? '' : 'another form')}`.trimEnd();
      if (!isFirst(key)) return isEnforced;
      refusals.set(key, (refusals.get(key) ?? 0) + 1);
      if (isEnforced) observers.denied({ role: role.name, what, formId: form });
      logRefusal({ role: role.name, what, form });
      return isEnforced;
    },
    unused: (role) => role.rights.filter((right) => !used.get(role.name)?.has(right)),
  };
}

/** What is refused, in a word of ours. */
export const whatOf = (operation: OperationName, { process, component }: Subject): string => {
  if (process !== undefined) return 'start a process';
  if (component !== undefined) return 'rules';
  return VERB_OF[operation] ?? (operation === 'executeCurrentActivity' ? 'execute activities' : 'look at');
};

export const forbidden = (operation: OperationName): UpstreamError =>
  new UpstreamError('forbidden', { operation, isUnsent: true, isFinal: true });
