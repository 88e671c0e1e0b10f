import {
  type Arbitrary,
  array,
  boolean,
  constantFrom,
  integer,
  oneof,
  option,
  record,
  string,
  tuple,
  uniqueArray,
} from 'fast-check';
import type { Json } from '../../../../src/core/json.ts';
import { decodeForm } from '../../../../src/upstream/decoders.ts';
import type { FormRecord } from '../../../../src/upstream/records.ts';
import { dialectOf } from '../../../upstream/support/open.ts';

const DIALECT = dialectOf();

/**
 * Names that mean something in GraphQL, in JavaScript or in this graph, and names that are hard to
 * tell apart.
 */
const HARD = [
  ...`
    Query query Mutation form instance Instance node rule Int String JSON Date long purchase-request
    purchase_request purchaseRequest PurchaseRequest PURCHASE_REQUEST purchase-requests a A A1 a1 a-1
    a-b AB status news movie movy cache cach company user-input sales-order x-order-by price-connection
    constructor __proto__ __typename id value value_ values can true null class 7 漢字 été Ete ete a:b _
    form_1a2b3c4d x_12345678 instanceId idInstance first where orderBy and é -a +a
  `
    .trim()
    .split(/\s+/),
  ...['Purchase request', '2nd try', ' ', '\u0000'],
];

export const anyName: Arbitrary<string> = oneof(
  { weight: 3, arbitrary: constantFrom(...HARD) },
  { weight: 1, arbitrary: string({ minLength: 1, maxLength: 12 }) },
  { weight: 1, arbitrary: string({ minLength: 1, maxLength: 12, unit: 'binary' }) },
);

const maybe = <T>(arbitrary: Arbitrary<T>) => option(arbitrary, { nil: undefined, freq: 2 });

const option_: Arbitrary<Json> = oneof(
  anyName,
  integer(),
  boolean(),
  record({ value: anyName, label: anyName }),
  constantFrom<Json>(null, {}, [], { value: null }),
);

const TYPES = [
  'text',
  'integer',
  'decimal',
  'number',
  'boolean',
  'date',
  'datetime',
  'choice',
  'reference',
  'matrix',
];

/** A flag and a limit, as platforms write them. */
const flag: Arbitrary<Json> = oneof(boolean(), constantFrom<Json>(0, 1, 'true', 'FALSE'));
const limit: Arbitrary<Json> = oneof(integer(), integer().map(String), constantFrom<Json>(0, -1));

const plainField = record({
  name: anyName,
  label: maybe(anyName),
  type: maybe(oneof(constantFrom(...TYPES), anyName)),
  required: maybe(flag),
  multiple: maybe(flag),
  options: maybe(array(option_, { maxLength: 5 })),
  reference: maybe(anyName),
  unit: maybe(anyName),
  maxLength: maybe(limit),
  min: maybe(limit),
  max: maybe(limit),
});

const section = record({
  type: maybe(constantFrom('section', 'page', 'table')),
  name: maybe(anyName),
  fields: array(plainField, { maxLength: 3 }),
});

const field = oneof({ weight: 6, arbitrary: plainField }, { weight: 1, arbitrary: section });

const form = tuple(
  anyName,
  maybe(anyName),
  maybe(anyName),
  maybe(array(field, { maxLength: 8 })),
).map(([idForm, name, description, fields]) =>
  decodeForm(JSON.parse(JSON.stringify({ idForm, name, description, fields })) as Json, DIALECT),
);

/** Any forms, no two of one id, as a platform may define them, read as the gateway reads them. */
export const anyForms: Arbitrary<FormRecord[]> = uniqueArray(form, {
  selector: ({ formId }) => formId,
  maxLength: 12,
});
