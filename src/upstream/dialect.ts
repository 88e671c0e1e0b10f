import { z } from 'zod';

import type { FileReading } from '../config/files.ts';

/** The names that are accepted when reading, in order of precedence. */
const names = (...defaults: readonly string[]) =>
  z.array(z.string().min(1)).min(1).readonly().default(defaults);

/** Words that are compared without letter case. */
const words = (...defaults: readonly string[]) =>
  z.array(z.string().min(1).toLowerCase()).min(1).readonly().default(defaults);

/** The name that is written. */
const name = (fallback: string) => z.string().min(1).default(fallback);

/**
 * Creates an optional section of the dialect. Unknown members are refused, because they are likely
 * typos.
 */
const section = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .strictObject(shape)
    .prefault({} as never)
    .readonly();

/** Returns whether a text is an http or https address, or a path, without credentials. */
function isAddress(text: string): boolean {
  const url = URL.parse(text, 'https://platform.invalid/');
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '';
}

const operator = (fallback: string) => z.string().min(1).nullable().default(fallback);
const datetimeFormat = z.enum(['iso', 'epoch-ms', 'epoch-s']).default('iso');

/** The members of a form's definition. The interface does not show them. */
const formSection = section({
  id: names('idForm', 'id'),
  name: names('name', 'title'),
  description: names('description'),
  version: names('version'),
  fields: names('fields'),
  fieldName: names('name', 'id'),
  fieldLabel: names('label', 'title'),
  fieldType: names('type'),
  fieldRequired: names('required', 'mandatory'),
  /** Whether required fields always have a value. Where drafts and old rows may be empty, they have none. */
  isRequiredKept: z.boolean().default(false),
  /** Whether a choice or a reference has several values. */
  fieldMultiple: names('multiple'),
  fieldOptions: names('options', 'choices', 'enum'),
  fieldReference: names('reference', 'idFormReference'),
  fieldMaxLength: names('maxLength'),
  fieldMin: names('min', 'minimum'),
  fieldMax: names('max', 'maximum'),
  /** The members of an option object. */
  optionValue: names('value', 'id'),
  optionLabel: names('label', 'title'),
  /**
   * The type names of fields by the kind of their values, without letter case. A field of another
   * type may contain any JSON.
   */
  types: section({
    text: words('text', 'string', 'textarea', 'memo', 'email', 'phone', 'url'),
    /** 64-bit integers. */
    integer: words('integer', 'int', 'long'),
    float: words('float', 'double', 'number'),
    decimal: words('decimal', 'numeric', 'money', 'currency'),
    boolean: words('boolean', 'bool', 'checkbox'),
    date: words('date'),
    datetime: words('datetime', 'date-time', 'timestamp'),
    /** One of the field's options. */
    choice: words('choice', 'select', 'enum', 'radio'),
    /** An instance of the form in the field's definition. */
    reference: words('reference', 'link', 'lookup'),
  }),
  /**
   * The notation of values in typed inputs. All digits are written. A decimal that a double cannot
   * hold is always written as text, so that it is not rounded silently.
   */
  writtenDecimal: z.enum(['number', 'text']).default('number'),
  writtenReference: z.enum(['number', 'text']).default('number'),
  writtenBoolean: z.enum(['boolean', 'number', 'text']).default('boolean'),
  /** The notation of a date and time. ISO 8601 is always accepted when reading. */
  datetime: datetimeFormat,
  writtenDatetime: datetimeFormat,
  /** The offset of a date and time without one. The interface does not define it. */
  assumedOffset: z
    .string()
    .regex(/^(Z|[+-]\d{2}:\d{2})$/, 'must be Z or an offset like +02:00')
    .default('Z'),
});

/**
 * Every detail that the interface leaves open. No other part of the gateway makes such assumptions.
 *
 * Reading is tolerant: a list of names has every accepted name in order of precedence. Writing is
 * exact: a single name is sent. Source: the parts of the interface marked "not shown".
 */
export const dialectSchema = section({
  /**
   * The module of an adapter, for shapes that no member describes. The path is relative to the
   * dialect's file.
   */
  adapter: z.string().min(1).optional(),
  /** Members that wrap a single record. Used if the object itself is not recognised. */
  envelope: names('data', 'result', 'd'),

  /** The shape of a list. The interface defines neither the items' member nor the total. */
  list: section({
    /** The member with the items. Not needed if the object has one array apart from its links. */
    items: names('items', 'data', 'results', 'content', 'forms', 'instances'),
    embedded: names('_embedded'),
    /**
     * Members with the number of all items, also inside `page`. By default the gateway tests the
     * usual names for each list.
     */
    total: z.array(z.string().min(1)).min(1).readonly().optional(),
    page: names('page', 'pagination', 'meta'),
    /**
     * The largest page that the platform sends. Larger ones are never requested, and a page of this
     * size is complete.
     */
    maxPageSize: z.int().min(1).max(10_000).optional(),
    /** The `page-number` of the first page. The default is 1. */
    firstPage: z.literal([0, 1]).optional(),
    /**
     * Whether lists are sorted by the requested order. `false` removes `orderBy` from the graph.
     */
    isSorted: z.boolean().default(true),
    /**
     * Whether the list can be read by searching for rows after an id. By default the second page of
     * each list shows it.
     */
    isPagedById: z.boolean().optional(),
  }),

  form: formSection,

  instance: section({
    id: names('idInstance', 'id'),
    values: names('values', 'fields'),
    /** The member of InstanceIn with the values. `null` sends the values alone. */
    written: name('values').nullable(),
  }),

  case: section({
    id: names('idCase'),
    /** The member of StartCase with the process. */
    process: name('idProcess'),
    /**
     * The member of StartCase and ProcessExecute with the values. `null` sends the values alone.
     */
    written: name('values').nullable(),
  }),

  rule: section({
    /** The parameters that a rule declares. */
    parameters: names('parameters', 'inputParameters', 'items'),
    /** The parameters that an executed rule returns. */
    outputs: names('outputParameters', 'outputs', 'parameters', 'items'),
  }),

  token: section({
    /**
     * The address of `getToken`, absolute or relative to `{base_url}`. `null` for
     * `{base_url}/v1.0/token`.
     */
    url: z
      .string()
      .refine(isAddress, { error: 'must be an http or https address, or a path' })
      .nullable()
      .default(null),
    value: names('access_token', 'accessToken', 'token'),
    /** The lifetime if the response contains no expiry. */
    assumedLifetimeMs: z.int().min(1).default(60_000),
    /** The members of variant A's Credentials, if user name and password are settings. */
    username: name('username'),
    password: name('password'),
    /** The `grant_type` of variant B. */
    grantType: name('client_credentials'),
  }),

  search: section({
    /** `null` disables an operator. Without `in`, look-ups of several ids use one call each. */
    operators: section({
      EQ: operator('eq'),
      NE: operator('ne'),
      GT: operator('gt'),
      GE: operator('ge'),
      LT: operator('lt'),
      LE: operator('le'),
      LIKE: operator('like'),
      IN: operator('in'),
    }),
    /** The notation of patterns for `like`. The interface does not define it. */
    pattern: section({
      /** Matches any characters. `null` if there is no such wildcard. */
      any: z.string().min(1).nullable().default('%'),
      /** Other characters with a special meaning. */
      special: z.string().default(''),
    }),
    /** The separator between the values of `in`. */
    separator: z.string().min(1).default('|'),
    /**
     * The highest number of values in a look-up with `in`. By default only the length of the
     * address limits it.
     */
    maxIds: z.int().min(2).max(10_000).optional(),
    formId: name('idForm'),
    instanceId: name('idInstance'),
  }),

  /**
   * Conditional requests. The interface promises 304 for unchanged data, but does not define which
   * responses have the date.
   */
  unchanged: section({
    /** Whether conditional requests are sent. */
    isAsked: z.boolean().default(true),
  }),

  error: section({
    message: names('message'),
    code: names('errorCode', 'errorcode', 'error_code'),
    /**
     * The refused fields: a list, or an object with a message for each field. The interface does
     * not define them.
     */
    fields: names('violations', 'errors', 'fieldErrors', 'details', 'invalid-params', 'detail'),
    fieldName: names('field', 'name', 'property'),
    fieldMessage: names('message', 'description', 'reason', 'detail', 'title', 'msg'),
    /** The pause after REQUEST_LIMIT_EXCEEDED if the response has no Retry-After. */
    retryAfterMs: z.int().min(0).default(1_000),
  }),
});

export type Dialect = z.infer<typeof dialectSchema>;

/** The platform's operators, and two that are sent as patterns of `like`. */
export type SearchOperator = keyof Dialect['search']['operators'] | 'CONTAINS' | 'STARTS_WITH';

/** Reads a dialect from parsed JSON. The defaults match the sandbox. */
export function readDialect(content: unknown): FileReading<Dialect> {
  const { success, data, error } = dialectSchema.safeParse(content);
  if (success) return { value: data };
  return {
    problems: error.issues.map(
      ({ path, message }) => `${path.join('.') || 'the whole'}: ${message}`,
    ),
  };
}
