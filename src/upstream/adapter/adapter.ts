/**
 * The package's `caseway/adapter`. The module in the dialect's `adapter` imports it. A plain object
 * with these members works as well. This file imports nothing.
 */

/** Converts calls of the interface to a platform's calls, and the platform's responses back. */
export interface Adapter {
  /**
   * Runs right before each attempt of a call. Returns the members to change; `{}` changes nothing.
   */
  request?(call: AdapterCall): RequestChange;
  /**
   * Runs right after each response except a 304, whatever its status. Returns the members to
   * change.
   *
   * @param call the call as the interface defines it, without the changes of `request`.
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
 * Returns a value that is sent as a number with exactly these digits. A JSON string is sent as a
 * string.
 *
 * @throws {SyntaxError} if the text is not a JSON number, string, `true`, `false` or `null`.
 */
export const exactNumber = (digits: string): Json => rawJson(digits);

// TypeScript has no type for `JSON.rawJSON` yet.
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): Json };

/** The ids of each operation. The operations have the interface's spelling (sic). */
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
  /** The rows that a list reads, as in `query`. `undefined` for other operations. */
  readonly list: Name extends 'getForms' | 'getFormIntances' ? AdapterList : undefined;
  /** The decoded segments below the base address, such as `['v1.0', 'forms', 'expense']`. */
  readonly path: readonly string[];
  /** The decoded parameters. */
  readonly query: Readonly<Record<string, string>>;
  /** The parsed JSON; `undefined` if the call has no body. */
  readonly body: Json | undefined;
}

/** The rows that a list's call reads. */
export interface AdapterList {
  /** The conditions. A row meets all of them. */
  readonly where: readonly {
    /** The platform's name of the field. */
    readonly field: string;
    readonly operator: AdapterOperator;
    /** One value; for `IN` one or more. */
    readonly values: readonly string[];
  }[];
  readonly orderBy: readonly { readonly field: string; readonly direction: 'ASC' | 'DESC' }[];
  /** The first page is 1. */
  readonly pageNumber: number;
  readonly perPage: number;
}

/** How a field of a list is compared. */
export type AdapterOperator = Comparison | 'LIKE' | 'IN' | 'CONTAINS' | 'STARTS_WITH';
type Comparison = 'EQ' | 'NE' | 'GT' | 'GE' | 'LT' | 'LE';

/** The members of a call that `request` changes. */
export interface RequestChange {
  /**
   * The segments below the base address. The gateway encodes each one, so that an id cannot change
   * the path. An empty last segment is a trailing slash.
   */
  readonly path?: readonly string[];
  /** All parameters, decoded. A list repeats its parameter; `undefined` omits it. */
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
  /** The parsed JSON. `undefined` without a body, or for another type such as an HTML page. */
  readonly body: Json | undefined;
}

/** The members of a response that `response` changes. */
export interface ResponseChange {
  /** 200 to 599, and not 304. */
  readonly status?: number;
  /** The headers to change. `undefined` removes a header. */
  readonly headers?: AdapterResponse['headers'];
  /** The new body. `undefined` removes the body. */
  readonly body?: Json | undefined;
}

/** A value of a body. */
export type Json = JsonNumber | string | boolean | null | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [name: string]: Json;
}

/**
 * A number in a body. If a double cannot hold all its digits, it is text such as
 * `'9007199254740993'`. `exactNumber` sends text as a number.
 */
export type JsonNumber = number | string;
