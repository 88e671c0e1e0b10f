import { isDeepStrictEqual } from 'node:util';

import { isId, type OperationName } from '../../upstream/operations.ts';
import type { RoleContent } from './file.ts';

/** What may be done with the instances of a form. */
export const VERBS = ['read', 'create', 'update', 'replace', 'delete'] as const;
export type Verb = (typeof VERBS)[number];

/** What an operation of the platform is about; only what its rule looks at. */
export interface Subject {
  readonly formId?: string | undefined;
  readonly process?: string | undefined;
  readonly component?: string | undefined;
  readonly version?: string | undefined;
  readonly attributes?: unknown;
}

/** The rights of those who have no role. */
export const NO_RIGHTS: RoleContent = {
  forms: {},
  processes: [],
  execute: false,
  attributes: false,
  rules: [],
  extensions: [],
  schema: false,
};

/** Stands for all forms that are not named. */
const OTHERS = '*';
const NONE: ReadonlySet<Verb> = new Set();

/** What callers with one role may do. What it does not name they may not. */
export class Role {
  readonly name: string;
  readonly content: RoleContent;
  readonly #forms: ReadonlyMap<string, ReadonlySet<Verb>>;
  /** The named forms as a platform may read them that does not tell cases apart. */
  readonly #folded: ReadonlySet<string>;
  readonly #others: ReadonlySet<Verb>;
  readonly #processes: ReadonlySet<string>;
  readonly #rules: ReadonlySet<string>;
  readonly #extensions: ReadonlySet<string>;

  constructor(name: string, content: RoleContent) {
    this.name = name;
    this.content = content;
    const entries = Object.entries(content.forms).filter(([formId]) => formId !== OTHERS);
    this.#forms = new Map(entries.map(([formId, verbs]) => [formId, new Set(verbs)]));
    this.#folded = new Set([...this.#forms.keys()].map(fold));
    this.#others = new Set(content.forms[OTHERS]);
    this.#processes = new Set(content.processes);
    this.#rules = new Set(content.rules.map((rule) => rule.replace(/@([^@]+)$/, '-$1')));
    this.#extensions = new Set(content.extensions);
  }

  /** Whether it may do something with forms that it does not name. */
  get hasOthers(): boolean {
    return this.#others.size > 0;
  }

  /** The forms that it names and may look at. */
  get lookable(): readonly string[] {
    return [...this.#forms.keys()].filter((formId) => this.verbsOn(formId).size > 0);
  }

  /** The forms that it names and may not look at. */
  get hidden(): readonly string[] {
    return [...this.#forms.keys()].filter((formId) => this.verbsOn(formId).size === 0);
  }

  get hasSchema(): boolean {
    return this.hasOthers || this.content.schema;
  }

  names(formId: string): boolean {
    return this.#forms.has(formId);
  }

  verbsOn(formId: string): ReadonlySet<Verb> {
    return this.#forms.get(formId) ?? (this.#isOther(formId) ? this.#others : NONE);
  }

  /** Another spelling may lead a platform to a form that is named, or to another resource. */
  #isOther(formId: string): boolean {
    return this.hasOthers && isId(formId) && !AMBIGUOUS.test(formId) && !this.#folded.has(fold(formId));
  }

  /** Whether a list of forms may have it: one that is in it by its own spelling is no other form. */
  mayList(formId: string): boolean {
    if (this.verbsOn(formId).size > 0) return true;
    return this.hasOthers && ![...this.#forms.keys()].some((named) => named.toLowerCase() === formId.toLowerCase());
  }

  allows(operation: OperationName, subject: Subject): boolean {
    return RULES[operation](this, subject);
  }

  allowsExtension(field: string): boolean {
    return this.#extensions.has(field);
  }

  allowsCase(process: string | undefined, { attributes }: Subject): boolean {
    const isAllowed = process === undefined ? this.content.execute : this.#processes.has(process);
    return isAllowed && (attributes == null || this.content.attributes);
  }

  /** Compares rules as the platform's paths name them: `a-b`, `1` and `a`, `b-1` are one rule. */
  allowsRule({ component, version }: Subject): boolean {
    return this.#rules.has(`${component}-${version}`);
  }

  /** All that it may do, a line each, as it is counted. */
  get rights(): readonly string[] {
    const { forms, processes, execute, rules, extensions } = this.content;
    return [
      ...Object.entries(forms).flatMap(([formId, verbs]) => verbs.map((verb) => `${verb} ${formId}`)),
      ...processes.map((process) => `start ${process}`),
      ...(execute ? ['execute activities'] : []),
      ...rules.map((rule) => `rule ${rule.replace(/@([^@]+)$/, '-$1')}`),
      ...extensions.map((field) => `extension ${field}`),
    ];
  }

  /** The right by which it may do something. */
  rightFor(operation: OperationName, { formId = '', process, component, version }: Subject): string {
    const verb = VERB_OF[operation];
    if (verb) return `${verb} ${this.#forms.has(formId) ? formId : OTHERS}`;
    if (component !== undefined) return `rule ${component}-${version}`;
    return process === undefined ? 'execute activities' : `start ${process}`;
  }

  equals({ content }: Role): boolean {
    // The order of forms means nothing.
    return isDeepStrictEqual(content, this.content);
  }
}

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

/** The verb that an operation on a form needs. */
export const VERB_OF: Readonly<Partial<Record<OperationName, Verb>>> = {
  getFormIntances: 'read',
  getFormIntance: 'read',
  createFormIntance: 'create',
  updateFormIntance: 'replace',
  updateValuesOfFormIntance: 'update',
  deleteFormIntance: 'delete',
};

type Rule = (role: Role, subject: Subject) => boolean;
const needs =
  (verb: Verb): Rule =>
  (role, { formId = '' }) =>
    role.verbsOn(formId).has(verb);
const ofRule: Rule = (role, subject) => role.allowsRule(subject);

/** What a role must allow for each operation of the platform. */
const RULES: Readonly<Record<OperationName, Rule>> = {
  getForms: (role) => role.hasOthers || role.lookable.length > 0,
  getForm: (role, { formId = '' }) => role.verbsOn(formId).size > 0,
  getFormIntances: needs('read'),
  getFormIntance: needs('read'),
  createFormIntance: needs('create'),
  updateFormIntance: needs('replace'),
  updateValuesOfFormIntance: needs('update'),
  deleteFormIntance: needs('delete'),
  startCase: (role, subject) => role.allowsCase(subject.process ?? '', subject),
  executeCurrentActivity: (role, subject) => role.allowsCase(undefined, subject),
  getParameters: ofRule,
  execute: ofRule,
};
