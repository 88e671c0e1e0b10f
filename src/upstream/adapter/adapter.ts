/**
 * The package's `caseway/adapter`: a module that a dialect names as its `adapter` imports it. A
 * plain object with these members works as well; this file imports nothing.
 */

/** Changes the calls of the interface into those of a platform, and its responses back. */
export interface Adapter {
  /**
   * Runs right before each try of a call, and returns the members that it changes. Others stay as
   * they are: `{}` changes nothing.
   */
  request?(call: AdapterCall): RequestChange;
  /**
   * Runs right after each response but a 304, whatever its status, and returns the members that it
   * changes.
   *
   * @param call the call as the interface has it, without the changes of `request`.
   */
  response?(call: AdapterCall, response: AdapterResponse): ResponseChange;
}

/**
 * Returns the adapter, checked by TypeScript.
 *
 * @example
 * export default defineAdapter({
 *   request: ({ path }) => ({ path: ['api', ...path.slice(1)] }),
 * });
 */
export const defineAdapter = <A extends Adapter>(adapter: A): A => adapter;

/**
 * Returns a value that is sent as the number with exactly these digits. A text is sent as a text.
 *
 * @throws {SyntaxError} for a text that is no JSON number, string or word.
 */
export const exactNumber = (digits: string): Json => rawJson(digits);

// JavaScript has it, and its types do not yet.
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): Json };

/** The ids that each operation is called with. The interface spells the operations so (sic). */
export interface OperationIds {
  readonly getForm: { readonly formId: string };
  readonly getForms: Readonly<Record<never, never>>;
  readonly getFormIntance: InstanceIds;
  readonly getFormIntances: { readonly formId: string };
  readonly createFormIntance: { readonly formId: string };
  readonly updateFormIntance: InstanceIds;
  readonly updateValuesOfFormIntance: InstanceIds;
  readonly deleteFormIntance: InstanceIds;
  readonly startCase: { readonly process: string };
  readonly executeCurrentActivity: { readonly caseId: string; readonly activityId: string };
  readonly getParameters: RuleIds;
  readonly execute: RuleIds;
}

interface InstanceIds {
  readonly formId: string;
  readonly instanceId: string;
}

interface RuleIds {
  readonly component: string;
  readonly version: string;
}

/** A call to the platform. The types of `ids` and `list` follow `operation`. */
export type AdapterCall = { [Name in keyof OperationIds]: CallOf<Name> }[keyof OperationIds];

interface CallOf<Name extends keyof OperationIds> {
  readonly operation: Name;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly ids: OperationIds[Name];
  /** The rows that a list reads, as `query` has them too; `undefined` for other operations. */
  readonly list: Name extends 'getForms' | 'getFormIntances' ? AdapterList : undefined;
  /** The decoded segments below the base address, such as `['v1.0', 'forms', 'expense']`. */
  readonly path: readonly string[];
  /** The decoded parameters. */
  readonly query: Readonly<Record<string, string>>;
  /** The parsed JSON; `undefined` if the call has no body. */
  readonly body: Json | undefined;
}

/** The rows that a call of a list reads. */
export interface AdapterList {
  /** The conditions. A row meets them all. */
  readonly where: readonly {
    /** The platform's name of the field. */
    readonly field: string;
    readonly operator: AdapterOperator;
    /** Several for `IN`, else one. */
    readonly values: readonly string[];
  }[];
  readonly orderBy: readonly { readonly field: string; readonly direction: 'ASC' | 'DESC' }[];
  /** From 1. */
  readonly pageNumber: number;
  readonly perPage: number;
}

/** How a field of a list is compared. */
export type AdapterOperator = Comparison | 'LIKE' | 'IN' | 'CONTAINS' | 'STARTS_WITH';
type Comparison = 'EQ' | 'NE' | 'GT' | 'GE' | 'LT' | 'LE';

/** The members of a call that `request` changes. */
export interface RequestChange {
  /**
   * The segments below the base address. The gateway encodes each, so that an id cannot leave its
   * place. An empty last segment is a slash at the end.
   */
  readonly path?: readonly string[];
  /** All parameters, not encoded. A list repeats its parameter; `undefined` leaves it out. */
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The value to send as JSON; `undefined` sends no body. */
  readonly body?: Json | undefined;
}

/** The headers of a response that the gateway reads. */
export type ResponseHeaderName =
  | 'content-range'
  | 'content-type'
  | 'date'
  | 'last-modified'
  | 'link'
  | 'location'
  | 'retry-after'
  | 'x-total-count';

/** A response of the platform. */
export interface AdapterResponse {
  readonly status: number;
  readonly headers: { readonly [Name in ResponseHeaderName]?: string | undefined };
  /** The parsed JSON; `undefined` if there is no body, or another one such as an HTML page. */
  readonly body: Json | undefined;
}

/** The members of a response that `response` changes. */
export interface ResponseChange {
  /** 200 to 599, and not 304. */
  readonly status?: number;
  /** The headers that it changes; `undefined` removes one, and others stay. */
  readonly headers?: AdapterResponse['headers'];
  /** The value that the gateway reads as JSON; `undefined` removes the body. */
  readonly body?: Json | undefined;
}

/** A value of a body. */
export type Json = JsonNumber | string | boolean | null | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [name: string]: Json;
}

/**
 * A number in a body. One that a double cannot hold with all its digits is its text, such as
 * `'9007199254740993'`; `exactNumber` sends the text as a number.
 */
export type JsonNumber = number | string;
