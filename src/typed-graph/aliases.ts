import { z } from 'zod';

/** Names that somebody chose for one form: of its type, and of its fields by the platform's names. */
export interface Alias {
  readonly name?: string | undefined;
  readonly fields: ReadonlyMap<string, string>;
}

/** Chosen names, by `idForm`. */
export type Aliases = ReadonlyMap<string, Alias>;

const aliasesSchema = z.record(
  z.string(),
  z.strictObject({ name: z.string().optional(), fields: z.record(z.string(), z.string()).prefault({}) }),
);

/** Reads chosen names from a file's JSON: `{"form-id": {"name": "TypeName", "fields": {"platform name": "graphName"}}}`. */
export function readAliases(json: unknown): { readonly aliases: Aliases } | { readonly problems: readonly string[] } {
  const { data, error } = aliasesSchema.safeParse(json);
  if (error) return { problems: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) };
  const entries = Object.entries(data);
  return {
    aliases: new Map(entries.map(([id, { name, fields }]) => [id, { name, fields: new Map(Object.entries(fields)) }])),
  };
}
