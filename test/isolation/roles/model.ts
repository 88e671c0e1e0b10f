import { VERBS } from '../../../src/upstream/records.ts';

/** The rules of roles, written a second time. The gateway's own code is under test. */

export const FORMS = ['alpha', 'beta', 'gamma', 'secret'] as const;
export type FormId = (typeof FORMS)[number];
export type Verb = (typeof VERBS)[number];

/** Returns the form that a form's `link` refers to. */
export const nextOf = (form: string): FormId =>
  FORMS[(FORMS.indexOf(form as FormId) + 1) % FORMS.length] ?? 'alpha';
/** A different total for each form. */
export const TOTALS: Readonly<Record<FormId, number>> = {
  alpha: 1009,
  beta: 2003,
  gamma: 3001,
  secret: 4001,
};

export const ROLES = ['reader', 'clerk', 'keeper', 'idle'] as const;
export type RoleName = (typeof ROLES)[number];

const ALLOWED: Readonly<Record<RoleName, Readonly<Partial<Record<FormId, readonly Verb[]>>>>> = {
  reader: { alpha: ['read'], beta: ['read'], gamma: ['read'] },
  clerk: { alpha: ['read', 'create', 'update'], beta: ['read'], gamma: ['create'] },
  keeper: { gamma: ['read', 'create', 'replace', 'delete'], secret: ['read', 'update'] },
  idle: {},
};

/** The content of the roles file. */
export const FILE = {
  claim: 'roles',
  roles: {
    reader: { forms: ALLOWED.reader, schema: true },
    clerk: {
      forms: ALLOWED.clerk,
      processes: ['one'],
      execute: true,
      rules: ['one@1'],
      extensions: ['ownUpdate'],
    },
    keeper: {
      forms: ALLOWED.keeper,
      processes: ['two'],
      attributes: true,
      rules: ['two@1'],
      schema: true,
    },
    idle: {},
  },
};

export const may = (role: RoleName, form: string, verb: Verb): boolean =>
  ALLOWED[role][form as FormId]?.includes(verb) ?? false;
export const mayLook = (role: RoleName, form: string): boolean =>
  VERBS.some((verb) => may(role, form, verb));
export const mayStart = (role: RoleName, process: string): boolean =>
  (role === 'clerk' && process === 'one') || (role === 'keeper' && process === 'two');
export const mayRule = (role: RoleName, rule: string): boolean => mayStart(role, rule);
export const mayFilter = (role: RoleName, form: string, field: string): boolean =>
  ['idInstance', 'name'].includes(field) || (field === 'link' && may(role, nextOf(form), 'read'));

/** Returns a marker that shows the origin of a value. */
export const canary = (kind: 'def' | 'val' | 'rule' | 'case', of: string) => `cnry-${kind}-${of}.`;

/** Returns the markers in a text that a role must not see. */
export function findForeign(role: RoleName, text: string): readonly string[] {
  const isAllowed: Readonly<Record<string, (of: string) => boolean>> = {
    def: (form) => mayLook(role, form),
    val: (form) => may(role, form, 'read'),
    rule: (rule) => mayRule(role, rule),
    case: (process) => mayStart(role, process) || (process === 'any' && role === 'clerk'),
  };
  const canaries = [...text.matchAll(/cnry-(\w+)-(\w+)\./g)].filter(
    ([, kind = '', of = '']) => !isAllowed[kind]?.(of),
  );
  const totals = [...text.matchAll(/"totalCount":(\d+)/g)].filter(([, total]) =>
    FORMS.some((form) => TOTALS[form] === Number(total) && !may(role, form, 'read')),
  );
  return [...canaries, ...totals].map(([found]) => found);
}
