import { isId, type OperationName } from '../../upstream/operations.ts';
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

/** Stands for all forms that are not named. */
const OTHERS = '*';

/** What callers with one role may do. What it does not name they may not. */
export class Role {
  readonly name: string;
  readonly content: RoleContent;
  readonly #forms: ReadonlyMap<string, readonly Verb[]>;
  /** The named forms as a platform may read them that does not tell cases apart. */
  readonly #folded: ReadonlySet<string>;
  readonly #others: readonly Verb[];

  constructor(name: string, content: RoleContent) {
    this.name = name;
    this.content = content;
    const { [OTHERS]: others = [], ...named } = content.forms;
    this.#forms = new Map(Object.entries(named));
    this.#folded = new Set(Object.keys(named).map(fold));
    this.#others = others;
  }

  /** Whether it may do something with forms that it does not name. */
  get hasOthers(): boolean {
    return this.#others.length > 0;
  }

  /** The forms that it names and may look at. */
  get lookable(): readonly string[] {
    return [...this.#forms.keys()].filter((formId) => this.verbsOn(formId).length > 0);
  }

  /** The forms that it names and may not look at. */
  get hidden(): readonly string[] {
    return [...this.#forms.keys()].filter((formId) => this.verbsOn(formId).length === 0);
  }

  names(formId: string): boolean {
    return this.#forms.has(formId);
  }

  verbsOn(formId: string): readonly Verb[] {
    return this.#forms.get(formId) ?? (this.#isOther(formId) ? this.#others : []);
  }

  /** Another spelling may lead a platform to a form that is named, or to another resource. */
  #isOther(formId: string): boolean {
    return this.hasOthers && isId(formId) && !AMBIGUOUS.test(formId) && !this.#folded.has(fold(formId));
  }

  /** Whether a list of forms may have it: one that is in it by its own spelling is no other form. */
  mayList(formId: string): boolean {
    if (this.verbsOn(formId).length > 0) return true;
    return this.hasOthers && ![...this.#forms.keys()].some((named) => named.toLowerCase() === formId.toLowerCase());
  }

  allows(act: Act, subject: Subject): boolean {
    const [, isAllowed] = RULES[act];
    return isAllowed(this, subject);
  }

  /** All that it may do, as it is counted. */
  get rights(): readonly string[] {
    const { forms, processes, execute, rules, extensions } = this.content;
    return [
      ...Object.entries(forms).flatMap(([formId, verbs]) => verbs.map((verb) => `${verb} ${formId}`)),
      ...processes.map((process) => `start ${process}`),
      ...(execute ? ['execute activities'] : []),
      ...rules.map((rule) => `rule ${segmentOf(rule)}`),
      ...extensions.map((field) => `extension ${field}`),
    ];
  }

  /** The right by which it may do something. */
  rightFor(act: Act, { formId, process, component, version, field }: Subject): string {
    if (component !== undefined) return `rule ${component}-${version}`;
    if (process !== undefined) return `start ${process}`;
    const word = wordOf(act, { field });
    return formId === undefined ? word : `${word} ${this.names(formId) ? formId : OTHERS}`;
  }
}

/** What an act is called where it is refused: one of few. */
export const wordOf = (act: Act, { field }: Pick<Subject, 'field'>): string =>
  field === undefined ? RULES[act][0] : `extension ${field}`;

/** Spellings that some platform takes for one: it may not tell cases, accents, forms of UUIDs or of numbers apart. */
const fold = (formId: string): string =>
  formId
    .normalize('NFKD')
    .toUpperCase()
    .toLowerCase()
    .replace(/[đðħłøæœ]/g, (letter) => PLAIN[letter] ?? letter)
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/^0+(?=\d)/, '');
/** Letters that Unicode does not take apart, and databases that ignore accents do. */
const PLAIN: Readonly<Record<string, string>> = { đ: 'd', ð: 'd', ħ: 'h', ł: 'l', ø: 'o', æ: 'ae', œ: 'oe' };
/** What servers resolve, cut off or do not see in a part of a path. */
const AMBIGUOUS = /[\\/;%?#\p{Cf}]|^\s|[\s.]$/u;

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
  getForms: ['look at', (role) => role.hasOthers || role.lookable.length > 0],
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
  schema: ['schema', ({ hasOthers, content }) => hasOthers || content.schema],
};
