import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';

import { type Path, readSource, type Source } from './source.ts';

/** A definition and where it stands. */
export interface Located<T> {
  readonly value: T;
  readonly at: Source['at'];
}

/**
 * Every definition of one kind: the files of the folder `kind`, and the file `kind.yaml`, by name.
 * A file that does not fit its schema adds to `problems` and is left out.
 */
export function readKind<S extends z.ZodType>(
  folder: string,
  kind: string,
  { schema, problems }: { readonly schema: S; readonly problems: string[] },
): readonly Located<z.infer<S>>[] {
  return filesOf(folder, kind).flatMap((file) => {
    const source = readSource(folder, file);
    problems.push(...source.problems);
    if (source.problems.length > 0) return [];

    const parsed = schema.safeParse(source.content);
    if (parsed.success) return [{ value: parsed.data, at: source.at }];
    problems.push(...parsed.error.issues.map((issue) => describe(issue, source)));
    return [];
  });
}

function filesOf(folder: string, kind: string): readonly string[] {
  const single = [`${kind}.yaml`, `${kind}.yml`].filter((file) => existsSync(join(folder, file)));
  const inside = join(folder, kind);
  if (!existsSync(inside) || !statSync(inside).isDirectory()) return single;
  const files = readdirSync(inside).filter((file) => /\.ya?ml$/.test(file));
  return [...single, ...files.toSorted().map((file) => `${kind}/${file}`)];
}

/** "forms/expense.yaml:12: fields.2.type: is missing" */
function describe(issue: z.core.$ZodIssue, source: Source): string {
  const path: Path = issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
  const name = issue.path.length === 0 ? '' : `${issue.path.map(String).join('.')}: `;
  return `${source.at(path)}: ${name}${word(issue)}`;
}

// The library's word for what is not there speaks of JavaScript.
function word({ code, message }: z.core.$ZodIssue): string {
  return code === 'invalid_type' && message.endsWith('received undefined') ? 'is missing' : message;
}
