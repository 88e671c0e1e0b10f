import type { Json, JsonObject } from '../core/json.ts';
import type { Dialect } from './dialect.ts';

/** The headers of an answer that the gateway reads. */
export const RESPONSE_HEADERS = [
  'authorization',
  'content-range',
  'content-type',
  'date',
  'link',
  'location',
  'last-modified',
  'retry-after',
  'x-total-count',
] as const;

export type ResponseHeaders = {
  readonly [name in (typeof RESPONSE_HEADERS)[number]]?: string | undefined;
};

/** The ids by which operations are called. The audit names each of them. */
export const ID_NAMES = [
  'formId',
  'instanceId',
  'process',
  'caseId',
  'activityId',
  'component',
  'version',
] as const;

/** The arguments of changes besides ids. The audit counts their members, and writes none of them. */
export const CONTENT_NAMES = ['values', 'attributes', 'parameters'] as const;

/** What may be done with the instances of a form, by the verbs of roles. */
export const VERBS = ['read', 'create', 'update', 'replace', 'delete'] as const;

/** In the platform's spelling. */
export type Ids = Readonly<Record<(typeof ID_NAMES)[number], string>>;

/** Records and arguments that hold some of them. */
export type SomeIds = { readonly [Name in keyof Ids]?: string | undefined };

/** Names a record that has ids of its own: its kind, as global ids spell it, and its ids. */
export interface RecordKey extends SomeIds {
  readonly kind: string;
  /** Whether nothing else is known of it. */
  readonly isKey?: boolean;
}

/** A link from one resource to another. A link with several methods is one record for each. */
export interface LinkRecord {
  readonly rel: string;
  /** As the upstream gave it, relative or absolute. */
  readonly href: string;
  /** In capitals; `undefined` when the upstream named none. */
  readonly method?: string | undefined;
}

/** What holds the links and allowed methods of a record. */
export interface RawLinks {
  /** The whole record as it came. */
  readonly record: JsonObject;
  /** A `Link` header, where the record came alone. */
  readonly header?: string | undefined;
}

/** The kind of a field's values, whatever the platform's word for it. */
export type FieldKind = keyof Dialect['form']['types'];

/** One field of a form's definition. */
export interface FieldRecord {
  readonly name: string;
  readonly label?: string | undefined;
  readonly type?: string | undefined;
  readonly required?: boolean | undefined;
  /** Whether the definition says that the field has several values. */
  readonly isMultiple?: boolean | undefined;
  readonly options?: readonly Json[] | undefined;
  /** The `idForm` that the field refers to. */
  readonly reference?: string | undefined;
  /** The whole field as it came. */
  readonly definition: JsonObject;
}

/** A form's definition. */
export interface FormRecord {
  readonly kind: 'Form';
  readonly formId: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly version?: string | undefined;
  /** Whether the upstream left the fields out, as a list of summaries may. */
  readonly isSummary: boolean;
  readonly fields?: readonly FieldRecord[] | undefined;
  /** The `Link` header of a form that came alone. */
  readonly linkHeader?: string | undefined;
  /** The whole record as it came. */
  readonly definition: JsonObject;
}

/** The result of a safe operation. Records are shared and must not be modified. */
export interface ReadResult<T> {
  readonly record: T;
  /** The value of `ifModifiedSince` for the next time; `undefined` where a 304 to it could hide a change. */
  readonly validator: string | undefined;
  /** About how much memory the record takes. */
  readonly bytes: number;
}

/** Names one instance, whose own id is a decimal integer, digit by digit. */
export type InstanceKey = Pick<Ids, 'formId' | 'instanceId'>;

/** The content of an instance. */
export interface InstanceContent {
  readonly values: JsonObject;
  /** The names of the form's fields; `undefined` where its definition was not at hand. */
  readonly fields?: ReadonlySet<string> | undefined;
  /** Decoded by `linksOf` and `methodsOf`, and only where an operation selects links or capabilities. */
  readonly rawLinks: RawLinks;
}

/** An instance that was read. */
export interface InstanceRecord extends InstanceKey {
  readonly kind: 'Instance';
  /** `undefined` on a just created instance whose answer had no body. */
  readonly content?: InstanceContent | undefined;
}

/** One page of a list. */
export interface PageRecord<T> {
  readonly items: readonly T[];
  /** The total on all pages, where the upstream states it. A member may count the rows of the page instead. */
  readonly total?: number | undefined;
  /** Whether the name of the total's member leaves open what it counts. */
  readonly isCount?: boolean | undefined;
  /** Whether a next page is announced by a link; `undefined` when the upstream has no such links. */
  readonly hasNext?: boolean | undefined;
}

/** A rule's parameter: declared, given, or returned. */
export interface ParameterRecord {
  readonly name: string;
  readonly type?: string | undefined;
  readonly value?: Json | undefined;
}

/** Names one rule. A pair, never the joined path segment: `a-b`+`1` and `a`+`b-1` join to the same. */
export type RuleKey = Pick<Ids, 'component' | 'version'>;

/** A published rule and its input parameters. */
export interface RuleRecord extends RuleKey {
  readonly name?: string | undefined;
  readonly descriptiveName?: string | undefined;
  readonly parameters: readonly ParameterRecord[];
  /** The whole record as it came. */
  readonly definition: JsonObject;
}

/** A case as a response of `startCase` or `executeCurrentActivity` describes it. */
export interface CaseRecord {
  /** An int64, digit by digit. */
  readonly caseId: string;
  readonly activity?:
    | { readonly activityId: string; readonly name?: string | undefined }
    | undefined;
  /** The whole record as it came. */
  readonly record: JsonObject;
}
