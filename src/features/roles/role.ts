import type { OperationName } from '../../upstream/operations.ts';
import type { RoleContent } from './file.ts';

/** What may be done with the instances of a form. */
export const VERBS = ['read', 'create', 'update', 'replace', 'delete'] as const;
type Verb = (typeof VERBS)[number];

/** What needs a right: the operations of the platform, and two things that no call would show. */
export type Act = OperationName | 'extension' | 'schema';

/** What an act is about; only what its rule looks at. */
export interface Subject {
  readonly formId?: string | undefined;
  readonly process?: string | undefined;
  readonly component?: string | undefined;
  readonly version?: string | undefined;
  readonly attributes?: unknown;
  /** A root field of an extension. */
  readonly field?: string | undefined;
}

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

  allows(act: Act, subject: Subject): boolean {
    const [, isAllowed] = RULES[act];
    return isAllowed(this, subject);
  }
}

/** What an act is called where it is refused: one of few. */
export const wordOf = (act: Act, { field }: Pick<Subject, 'field'>): string =>
  field === undefined ? RULES[act][0] : `extension ${field}`;

/** A rule as the platform's paths name it: `a-b`, `1` and `a`, `b-1` are one rule. */
const segmentOf = (rule: string): string => rule.replace(/@([^@]+)$/, '-$1');

/** The word for an act, and what a role must allow for it. */
type Rule = readonly [word: string, isAllowed: (role: Role, subject: Subject) => boolean];

const needs = (verb: Verb): Rule => [verb, (role, { formId = '' }) => role.verbsOn(formId).includes(verb)];
const ofRule: Rule = [
  'rules',
  ({ content }, { component, version }) => content.rules.some((rule) => segmentOf(rule) === `${component}-${version}`),
];
const mayStart = ({ content }: Role, { process = '' }: Subject) => content.processes.includes(process);
const mayAttach = ({ content }: Role, { attributes }: Subject) => attributes == null || content.attributes;

const RULES: Readonly<Record<Act, Rule>> = {
  getForms: ['look at', (role) => role.lookable?.length !== 0],
  getForm: ['look at', (role, { formId = '' }) => role.verbsOn(formId).length > 0],
  getFormIntances: needs('read'),
  getFormIntance: needs('read'),
  createFormIntance: needs('create'),
  updateFormIntance: needs('replace'),
  updateValuesOfFormIntance: needs('update'),
  deleteFormIntance: needs('delete'),
  startCase: ['start a process', (role, one) => mayStart(role, one) && mayAttach(role, one)],
  executeCurrentActivity: ['execute activities', (role, one) => role.content.execute && mayAttach(role, one)],
  getParameters: ofRule,
  execute: ofRule,
  extension: ['extension', ({ content }, { field = '' }) => content.extensions.includes(field)],
  schema: ['schema', ({ lookable, content }) => lookable === undefined || content.schema],
};
