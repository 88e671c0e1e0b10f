import type { Permission } from '../../upstream/operation.ts';
import type { VERBS } from '../../upstream/records.ts';
import type { RoleContent } from './role-schema.ts';

type Verb = (typeof VERBS)[number];

/**
 * A permission that a role may have: a permission for calls, for an extension's field or for the
 * schema. No role has the permission `search`, which stands for a search by a field that the caller
 * may not read.
 */
export type Demand =
  | Permission
  | { readonly of: 'extensions'; readonly field: string }
  | { readonly of: 'schema' }
  | { readonly of: 'search'; readonly formId: string | undefined };

/** The entry for all forms. */
export const ALL = '*';

/** The permissions of callers with one role. Everything that is not listed is denied. */
export class Role {
  readonly name: string;
  readonly content: RoleContent;

  constructor(name: string, content: RoleContent) {
    this.name = name;
    this.content = content;
  }

  /** The ids of the listed forms that it may look at; `undefined` if it may look at every form. */
  get lookable(): readonly string[] | undefined {
    const { forms } = this.content;
    if (forms[ALL]?.length) return undefined;
    return Object.keys(forms).filter((formId) => this.verbsOn(formId).length > 0);
  }

  verbsOn(formId: string): readonly Verb[] {
    const { forms } = this.content;
    const own = Object.hasOwn(forms, formId) ? forms[formId] : undefined;
    return [...(forms[ALL] ?? []), ...(own ?? [])];
  }

  allows(demand: Demand): boolean {
    return ruleOf(demand).isAllowed(this, demand);
  }
}

/** Returns a word for a permission, from a small set, for logs and metrics. */
export const wordOf = (demand: Demand): string => ruleOf(demand).word(demand);

/**
 * Returns a rule in the form of the platform's paths. There, `a-b` with version `1` and `a` with
 * version `b-1` are the same rule.
 */
const segmentOf = (rule: string): string => rule.replace(/@([^@]+)$/, '-$1');

/** The word for a kind of permission, and the check of it. */
interface Rule<D extends Demand> {
  word(demand: D): string;
  isAllowed(role: Role, demand: D): boolean;
}

const mayAttach = ({ content }: Role, attributes: unknown): boolean =>
  attributes == null || content.attributes;

const RULES: { readonly [Of in Demand['of']]: Rule<Extract<Demand, { readonly of: Of }>> } = {
  forms: {
    word: ({ verb }) => verb,
    isAllowed(role, { verb, formId }) {
      if (formId === undefined) return verb === 'look at' && role.lookable?.length !== 0;
      const verbs = role.verbsOn(formId);
      return verb === 'look at' ? verbs.length > 0 : verbs.includes(verb);
    },
  },
  processes: {
    word: () => 'start a process',
    isAllowed: (role, { process, attributes }) =>
      role.content.processes.includes(process) && mayAttach(role, attributes),
  },
  cases: {
    word: () => 'execute activities',
    isAllowed: (role, { attributes }) => role.content.execute && mayAttach(role, attributes),
  },
  rules: {
    word: () => 'rules',
    isAllowed: ({ content }, { component, version }) =>
      content.rules.some((rule) => segmentOf(rule) === `${component}-${version}`),
  },
  extensions: {
    word: ({ field }) => `extension ${field}`,
    isAllowed: ({ content }, { field }) => content.extensions.includes(field),
  },
  schema: {
    word: () => 'schema',
    isAllowed: ({ lookable, content }) => lookable === undefined || content.schema,
  },
  search: { word: () => 'search', isAllowed: () => false },
};

// The type of the rule follows from the permission's `of`.
const ruleOf = ({ of }: Demand) => RULES[of] as Rule<Demand>;
