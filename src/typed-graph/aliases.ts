import { z } from 'zod';

/** Names that somebody chose for one form: of its type, of its list, and of its fields by the platform's names. */
export interface Alias {
  readonly name?: string | undefined;
  readonly plural?: string | undefined;
  readonly fields: ReadonlyMap<string, string>;
}

/** Chosen names, by `idForm`. */
export type Aliases = ReadonlyMap<string, Alias>;

const aliasesSchema = z.record(
  z.string(),
  z.strictObject({
    name: z.string().optional(),
    plural: z
      .string()
      .regex(/^[a-z][A-Za-z0-9_]*$/, 'must be a field’s name')
      .optional(),
    fields: z.record(z.string(), z.string()).prefault({}),
  }),
);

/**
 * Reads chosen names from a file's JSON: `{"form-id": {"name": "TypeName", "plural": "typeNames", "fields": {"platform
 * name": "graphName"}}}`.
 */
export function readAliases(json: unknown): { readonly aliases: Aliases } | { readonly problems: readonly string[] } {
  const { data, error } = aliasesSchema.safeParse(json);
  if (error) return { problems: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) };
  const entries = Object.entries(data);
  return {
    aliases: new Map(
      entries.map(([id, { fields, ...names }]) => [id, { ...names, fields: new Map(Object.entries(fields)) }]),
    ),
  };
}
