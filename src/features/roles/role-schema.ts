import { z } from 'zod';

import { VERBS } from '../../upstream/records.ts';

/** A name of a caller, role, form or process. */
export const nameSchema = z
  .string()
  .min(1)
  .max(256)
  .refine((text) => !/\p{Cc}/u.test(text), { error: 'must not hold control characters' });

const rule = nameSchema.regex(/^.+@[^@]+$/, {
  error: 'must be a component and a version, as discount@1.0',
});

/** The members of a role in the file. */
export const roleSchema = z.strictObject({
  forms: z.record(nameSchema, z.array(z.enum(VERBS))).default({}),
  processes: z.array(nameSchema).default([]),
  execute: z.boolean().default(false),
  attributes: z.boolean().default(false),
  rules: z.array(rule).default([]),
  extensions: z.array(nameSchema).default([]),
  documents: nameSchema.optional(),
  callsPerMinute: z.int().min(6).optional(),
  callsReserved: z.int().min(6).optional(),
  schema: z.boolean().default(false),
});

export type RoleContent = z.infer<typeof roleSchema>;
