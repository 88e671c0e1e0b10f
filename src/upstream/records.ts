import type { Json, JsonObject } from '../core/json.ts';
import type { Dialect } from './dialect.ts';

/** The response headers that the gateway reads. */
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

/** The ids in arguments of operations. The audit records them. */
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

/** The verbs of roles for instances of a form. */
export const VERBS = ['read', 'create', 'update', 'replace', 'delete'] as const;

/** All ids, in the platform's notation. */
export type Ids = Readonly<Record<(typeof ID_NAMES)[number], string>>;

/** Records and arguments with some of the ids. */
export type SomeIds = { readonly [Name in keyof Ids]?: string | undefined };

/** The kind of a record, as in global ids, and its ids. */
export interface RecordKey extends SomeIds {
  readonly kind: string;
  /** Whether only the kind and the ids are known. */
  readonly isKey?: boolean;
}

/** A link to another resource. A link with several methods becomes one record per method. */
export interface LinkRecord {
  readonly rel: string;
  /** Unchanged from the upstream, relative or absolute. */
  readonly href: string;
  /** In upper case. `undefined` if the upstream sent no method. */
  readonly method?: string | undefined;
}

/** The data from which links and allowed methods are read. */
export interface RawLinks {
  /** The complete record from the upstream. */
  readonly record: JsonObject;
  /** The `Link` header of a single record. */
  readonly header?: string | undefined;
}

/** The kind of a field's values, independent of the platform's type names. */
export type FieldKind = keyof Dialect['form']['types'];

/** One field of a form's definition. */
export interface FieldRecord {
  readonly name: string;
  readonly label?: string | undefined;
  readonly type?: string | undefined;
  readonly required?: boolean | undefined;
  /** Whether the definition allows several values. */
  readonly isMultiple?: boolean | undefined;
  readonly options?: readonly Json[] | undefined;
  /** The `idForm` of the referenced form. */
  readonly reference?: string | undefined;
  /** The complete field from the upstream. */
  readonly definition: JsonObject;
}

/** A form's definition. */
export interface FormRecord {
  readonly kind: 'Form';
  readonly formId: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly version?: string | undefined;
  /** Whether the upstream omitted the fields, for example in a list. */
  readonly isSummary: boolean;
  readonly fields?: readonly FieldRecord[] | undefined;
  /** The `Link` header of a single form. */
  readonly linkHeader?: string | undefined;
  /** The complete record from the upstream. */
  readonly definition: JsonObject;
}

/** The result of a read. Records are shared and must not be modified. */
export interface ReadResult<T> {
  readonly record: T;
  /** The `ifModifiedSince` of the next read. `undefined` if a 304 could hide a change. */
  readonly validator: string | undefined;
  /** The approximate memory of the record. */
  readonly bytes: number;
}

/** The ids of one instance. Its own id has the digits of a decimal integer. */
export type InstanceKey = Pick<Ids, 'formId' | 'instanceId'>;

/** The content of an instance. */
export interface InstanceContent {
  readonly values: JsonObject;
  /** The names of the form's fields. `undefined` if its definition was not loaded. */
  readonly fields?: ReadonlySet<string> | undefined;
  /** Decoded by `linksOf` and `methodsOf` only if an operation selects links or capabilities. */
  readonly rawLinks: RawLinks;
}

/** An instance that was read. */
export interface InstanceRecord extends InstanceKey {
  readonly kind: 'Instance';
  /** `undefined` if the instance was just created and the response had no body. */
  readonly content?: InstanceContent | undefined;
}

/** One page of a list. */
export interface PageRecord<T> {
  readonly items: readonly T[];
  /** The total of all pages, if the upstream sends it. It may be the number of rows in the page. */
  readonly total?: number | undefined;
  /** Whether the total's member has an ambiguous name. */
  readonly isCount?: boolean | undefined;
  /** Whether a link announces a next page. `undefined` if the upstream sends no such links. */
  readonly hasNext?: boolean | undefined;
}

/** A rule's parameter: declared, sent or returned. */
export interface ParameterRecord {
  readonly name: string;
  readonly type?: string | undefined;
  readonly value?: Json | undefined;
}

/**
 * The ids of a rule. They stay separate, because `a-b`+`1` and `a`+`b-1` join to the same path
 * segment.
 */
export type RuleKey = Pick<Ids, 'component' | 'version'>;

/** A published rule and its input parameters. */
export interface RuleRecord extends RuleKey {
  readonly name?: string | undefined;
  readonly descriptiveName?: string | undefined;
  readonly parameters: readonly ParameterRecord[];
  /** The complete record from the upstream. */
  readonly definition: JsonObject;
}

/** A case in a response of `startCase` or `executeCurrentActivity`. */
export interface CaseRecord {
  /** The digits of an int64. */
  readonly caseId: string;
  readonly activity?:
    | { readonly activityId: string; readonly name?: string | undefined }
    | undefined;
  /** The complete record from the upstream. */
  readonly record: JsonObject;
}
