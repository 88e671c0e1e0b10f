import { z } from 'zod';

import type { FileReading } from '../config/files.ts';

/** Every name that is looked for, first come first served. */
const names = (...defaults: readonly string[]) =>
  z.array(z.string().min(1)).min(1).readonly().default(defaults);

/** Words that are looked for in any case. */
const words = (...defaults: readonly string[]) =>
  z.array(z.string().min(1).toLowerCase()).min(1).readonly().default(defaults);

/** The one name that is written. */
const name = (fallback: string) => z.string().min(1).default(fallback);

/** Makes a section of the dialect that may be left out as a whole; unknown members are refused as likely typos. */
const section = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .strictObject(shape)
    .prefault({} as never)
    .readonly();

/** Whether a text leads to an http or https address without credentials. */
function isAddress(text: string): boolean {
  const url = URL.parse(text, 'https://platform.invalid/');
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '';
}

const operator = (fallback: string) => z.string().min(1).nullable().default(fallback);
const datetimeFormat = z.enum(['iso', 'epoch-ms', 'epoch-s']).default('iso');

/** The members of a form's definition, none of which the interface shows. */
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
  /** The members of an option that is an object. */
  optionValue: names('value', 'id'),
  optionLabel: names('label', 'title'),
  /** The words for a field's type, by what its values are, in any case. A field of another type may hold any JSON. */
  types: section({
    text: words('text', 'string', 'textarea', 'memo', 'email', 'phone', 'url'),
    /** Whole numbers of 64 bits. */
    integer: words('integer', 'int', 'long'),
    float: words('float', 'double', 'number'),
    decimal: words('decimal', 'numeric', 'money', 'currency'),
    boolean: words('boolean', 'bool', 'checkbox'),
    date: words('date'),
    datetime: words('datetime', 'date-time', 'timestamp'),
    /** One of the field's options. */
    choice: words('choice', 'select', 'enum', 'radio'),
    /** An instance of the form that the field names. */
    reference: words('reference', 'link', 'lookup'),
  }),
  /**
   * How a typed input's values are written: by all their digits. A decimal that no double holds is a text in any case, so
   * that nobody rounds it unseen.
   */
  writtenDecimal: z.enum(['number', 'text']).default('number'),
  writtenReference: z.enum(['number', 'text']).default('number'),
  writtenBoolean: z.enum(['boolean', 'number', 'text']).default('boolean'),
  /** The notation of a date and time; ISO 8601 is read in any case. */
  datetime: datetimeFormat,
  writtenDatetime: datetimeFormat,
  /** The interface does not say which zone a date and time is in that has no offset. */
  assumedOffset: z
    .string()
    .regex(/^(Z|[+-]\d{2}:\d{2})$/, 'must be Z or an offset like +02:00')
    .default('Z'),
});

/**
 * Every detail that the interface leaves open. Nothing else in the gateway makes such assumptions.
 *
 * We read tolerantly: a list of names holds every name that is looked for, first come first served. We write exactly:
 * a single name is what goes out. Source: the interface's "not shown"s.
 */
export const dialectSchema = section({
  /** The module of an adapter, for what no member can say; its path is relative to the dialect's file. */
  adapter: z.string().min(1).optional(),
  /** Members around a single record; looked at where the object itself is not recognised. */
  envelope: names('data', 'result', 'd'),

  /** The interface does not say how a collection holds its items, nor how it counts them. */
  list: section({
    /** Where an object holds its items; an object with one array besides its links needs none of these. */
    items: names('items', 'data', 'results', 'content', 'forms', 'instances'),
    embedded: names('_embedded'),
    /** Members that count all items, also within one of `page`. Where absent, each list shows whether a default name does. */
    total: z.array(z.string().min(1)).min(1).readonly().optional(),
    page: names('page', 'pagination', 'meta'),
    /** The interface does not say how large a page may be; larger ones are never requested, and one of this size is whole. */
    maxPageSize: z.int().min(1).max(10_000).optional(),
    /** The `page-number` of the first page: 1 where absent. */
    firstPage: z.literal([0, 1]).optional(),
    /** Whether lists come in the order that is requested; `false` takes `orderBy` out of the graph. */
    isSorted: z.boolean().default(true),
    /** Whether the rows after an id are found in the order of ids; where absent, each list shows it at its second page. */
    isPagedById: z.boolean().optional(),
  }),

  form: formSection,

  instance: section({
    id: names('idInstance', 'id'),
    values: names('values', 'fields'),
    /** The member of InstanceIn that holds the values; `null` writes the values alone. */
    written: name('values').nullable(),
  }),

  case: section({
    id: names('idCase'),
    /** The member of StartCase that names the process. */
    process: name('idProcess'),
    /** The member of StartCase and ProcessExecute that holds the values; `null` as for an instance. */
    written: name('values').nullable(),
  }),

  rule: section({
    /** The parameters that a rule declares. */
    parameters: names('parameters', 'inputParameters', 'items'),
    /** The parameters that a rule that was executed returns. */
    outputs: names('outputParameters', 'outputs', 'parameters', 'items'),
  }),

  token: section({
    /** Of `getToken`, as it stands or seen from `{base_url}`; null for `{base_url}/v1.0/token`. */
    url: z
      .string()
      .refine(isAddress, { error: 'must be an http or https address, or a path' })
      .nullable()
      .default(null),
    value: names('access_token', 'accessToken', 'token'),
    /** Used where an answer states no expiry. */
    assumedLifetimeMs: z.int().min(1).default(60_000),
    /** The members of variant A's Credentials, where user name and password are settings. */
    username: name('username'),
    password: name('password'),
    /** The `grant_type` of variant B. */
    grantType: name('client_credentials'),
  }),

  search: section({
    /** `null` leaves an operator out; without `in`, look-ups by many ids are one call each. */
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
    /** The interface does not say how the patterns of `like` are written. */
    pattern: section({
      /** Stands for any run of characters; `null` where there is no such thing. */
      any: z.string().min(1).nullable().default('%'),
      /** Other characters that do not stand for themselves. */
      special: z.string().default(''),
    }),
    /** Between the values of an `in`. */
    separator: z.string().min(1).default('|'),
    /** How many values an `in` of a look-up has at most: as many as its address has room for where absent. */
    maxIds: z.int().min(2).max(10_000).optional(),
    formId: name('idForm'),
    instanceId: name('idInstance'),
  }),

  /** The interface promises 304 for what has not changed since a date, and does not say which answers have that date. */
  unchanged: section({
    /** Whether conditional requests are sent at all. */
    isAsked: z.boolean().default(true),
  }),

  error: section({
    message: names('message'),
    code: names('errorCode', 'errorcode', 'error_code'),
    /** The interface does not say that a refusal names fields: a list of them, or an object with a message for each. */
    fields: names('violations', 'errors', 'fieldErrors', 'details', 'invalid-params', 'detail'),
    fieldName: names('field', 'name', 'property'),
    fieldMessage: names('message', 'description', 'reason', 'detail', 'title', 'msg'),
    /** How long a pause after REQUEST_LIMIT_EXCEEDED is where the answer has no Retry-After. */
    retryAfterMs: z.int().min(0).default(1_000),
  }),
});

export type Dialect = z.infer<typeof dialectSchema>;

/** The platform's operators, and two that are written as patterns of `like`. */
export type SearchOperator = keyof Dialect['search']['operators'] | 'CONTAINS' | 'STARTS_WITH';

/** Reads a dialect from what a JSON file held; whatever it leaves out is as the sandbox speaks. */
export function readDialect(content: unknown): FileReading<Dialect> {
  const { success, data, error } = dialectSchema.safeParse(content);
  if (success) return { value: data };
  return {
    problems: error.issues.map(
      ({ path, message }) => `${path.join('.') || 'the whole'}: ${message}`,
    ),
  };
}
