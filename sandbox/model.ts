import { z } from 'zod';

/** The types of form fields. Cases and rules use those in `PLAIN_TYPES`. */
export const VALUE_TYPES = [
  'text',
  'integer',
  'decimal',
  'boolean',
  'date',
  'datetime',
  'choice',
  'reference',
] as const;
export type ValueType = (typeof VALUE_TYPES)[number];
const PLAIN_TYPES = ['text', 'integer', 'decimal', 'boolean', 'date', 'datetime'] as const;

/**
 * Names are put into an SQLite JSON path in quotes, so they have letters, digits, `_`, `-` and
 * spaces only.
 */
const name = z
  .string()
  .regex(
    /^(?!__proto__$)[\p{L}_][\p{L}\p{N}_ -]*$/u,
    'must be letters, digits, "_", "-" or spaces',
  );
/** An id is one path segment. Dot segments are rejected, because clients would resolve them. */
const id = z.string().regex(/^(?!\.{1,2}$).+$/u, 'must be a text that is not empty, "." or ".."');
const text = z.string().min(1);
/** An int64. The YAML parser returns a bigint only where a number would lose digits. */
const int64 = z
  .union([z.int(), z.bigint()], 'must be an integer')
  .transform((value) => BigInt(value))
  .refine((value) => BigInt.asIntN(64, value) === value, 'must fit in 64 bits');

export const fieldSchema = z.strictObject({
  name,
  label: text,
  type: z.enum(VALUE_TYPES),
  /** A help text. */
  description: text.optional(),
  required: z.boolean().default(false),
  /** The value that a client proposes for a new instance. */
  default: z.union([text, z.number(), z.boolean()]).optional(),
  /** The values of a choice. */
  options: z.array(text).min(1).optional(),
  /** The `idForm` of the referenced form. The field's value is an `idInstance` of it. */
  reference: id.optional(),
  /** The limit in characters. */
  maxLength: z.int().positive().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  /** The display unit of a number: "EUR", "days". */
  unit: text.optional(),
});
export type Field = z.infer<typeof fieldSchema>;

export const formSchema = z.strictObject({
  idForm: id,
  name: text,
  description: z.string().default(''),
  version: text,
  fields: z.array(fieldSchema).min(1),
});
export type Form = z.infer<typeof formSchema>;

/** A case's variable or a rule's input: a value with a name. */
const variableSchema = z.strictObject({
  name,
  type: z.enum(PLAIN_TYPES),
  required: z.boolean().default(false),
});
export type Variable = z.infer<typeof variableSchema>;

const transitionSchema = z.strictObject({
  /** FEEL over the case's variables. A transition without it always applies. */
  when: text.optional(),
  to: z.union([int64, z.literal('end')], 'must be a cdActivity or "end"'),
});

const activitySchema = z.strictObject({
  cdActivity: int64,
  name: text,
  /** Variables that must have a value when this activity is executed. */
  requires: z.array(name).default([]),
  /** Tried in order. An activity without transitions ends the case. */
  next: z.array(transitionSchema).default([]),
});
export type Activity = z.infer<typeof activitySchema>;

export const processSchema = z.strictObject({
  idProcess: id,
  name: text,
  variables: z.array(variableSchema).default([]),
  /** A case starts at the first activity. */
  activities: z.array(activitySchema).min(1),
});
export type Process = z.infer<typeof processSchema>;

export const ruleSchema = z.strictObject({
  cdComponent: id,
  cdVersion: z.string('must be a text: write it in quotes').min(1),
  descriptiveName: text,
  published: z.boolean(),
  publishedForRest: z.boolean(),
  inputs: z.array(variableSchema.extend({ required: z.boolean().default(true) })).default([]),
  outputs: z
    .array(
      /** If a required output is `null`, the rule fails. */
      variableSchema.extend({ required: z.boolean().default(true), expression: text }),
    )
    .min(1),
});
export type Rule = z.infer<typeof ruleSchema>;

const FORM_ACTIONS = ['read', 'create', 'update', 'delete'] as const;
export type FormAction = (typeof FORM_ACTIONS)[number];

/** Actions by id. `*` stands for every id without an entry. */
const grants = <A extends string>(actions: readonly A[]) =>
  z.record(z.string(), z.array(z.enum(actions))).default({});

export const userSchema = z.strictObject({
  username: text,
  password: text,
  about: text,
  /** A locked user gets 403 from every operation, getToken included. */
  locked: z.boolean().default(false),
  /** Requests per minute, if lower than the sandbox's limit. */
  requestLimit: z.int().positive().optional(),
  /** The lifetime of a token in seconds, if shorter than the sandbox's. */
  tokenLifetimeSeconds: z.int().positive().optional(),
  permissions: z.strictObject({
    forms: grants(FORM_ACTIONS),
    processes: grants(['start', 'execute']),
    rules: grants(['read', 'execute']),
  }),
});
export type User = z.infer<typeof userSchema>;
export const usersSchema = z.strictObject({ users: z.array(userSchema).min(1) });

/** Rows of one form for an empty database: `idInstance` and the fields side by side. */
export const seedSchema = z.strictObject({
  idForm: id,
  instances: z.array(z.looseObject({ idInstance: z.int().positive() })),
});
export type Seed = z.infer<typeof seedSchema>;
