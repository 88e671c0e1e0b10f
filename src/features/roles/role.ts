import type { Need } from '../../upstream/operation.ts';
import type { VERBS } from '../../upstream/records.ts';
import type { RoleContent } from './role-schema.ts';

type Verb = (typeof VERBS)[number];

/** What a role is asked for: what operations need, two things that no call would show, and what no role may search by. */
export type Demand =
  | Need
  | { readonly of: 'extensions'; readonly field: string }
  | { readonly of: 'schema' }
  | { readonly of: 'search'; readonly formId: string | undefined };

/** Stands for all forms. */
export const ALL = '*';

/** What callers with one role may do. What it does not name they may not. */
export class Role {
  readonly name: string;
  readonly content: RoleContent;

  constructor(name: string, content: RoleContent) {
    this.name = name;
    this.content = content;
  }

  /** The forms that it names and may look at; `undefined` where it may look at all. */
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

/** What is demanded, in a word, where it is refused: one of few. */
export const wordOf = (demand: Demand): string => ruleOf(demand).word(demand);

/** A rule as the platform's paths name it: `a-b`, `1` and `a`, `b-1` are one rule. */
const segmentOf = (rule: string): string => rule.replace(/@([^@]+)$/, '-$1');

/** The word for a demand, and what a role must allow for it. */
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

// The kind of a demand says which rule is its own.
const ruleOf = ({ of }: Demand) => RULES[of] as Rule<Demand>;
