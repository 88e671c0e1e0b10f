import { z } from 'zod';

/** One setting: how its text is read, what it is when absent, its unit and its meaning. */
export interface Setting<T> {
  readonly schema: z.ZodType<T>;
  /** The value when the environment has none. */
  readonly fallback: T;
  /** What its value is measured in or chosen from. */
  readonly unit: string;
  /** One sentence for the person who sets it. */
  readonly about: string;
  /** A secret is never printed, and may also be in the file that `NAME_FILE` names. */
  readonly isSecret?: boolean;
}

type Description<T> = Omit<Setting<T>, 'schema'>;

export function integer({ from, to, ...rest }: Description<number> & { readonly from: number; readonly to: number }) {
  const error = `must be an integer from ${from} to ${to}`;
  const schema = z
    .string()
    .regex(/^-?\d+$/, { error, abort: true })
    .transform(Number)
    .pipe(z.number().min(from, { error }).max(to, { error }));
  return { schema, ...rest } satisfies Setting<number>;
}

export function optionalInteger({
  from,
  to,
  ...rest
}: Omit<Description<undefined>, 'fallback'> & { readonly from: number; readonly to: number }) {
  const { schema } = integer({ from, to, fallback: from, ...rest });
  return { schema: schema.optional(), fallback: undefined, ...rest };
}

export function text(description: Description<string>) {
  return { schema: z.string(), ...description } satisfies Setting<string>;
}

export function optionalText(description: Omit<Description<undefined>, 'fallback'>) {
  return { schema: z.string().optional(), fallback: undefined, ...description };
}

export function optionalUrl(description: Omit<Description<undefined>, 'fallback'>) {
  const schema = z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .refine((address) => new URL(address).username === '', { error: 'must not hold credentials; they have settings' })
    .refine((address) => new URL(address).hash === '', { error: 'must not have a fragment' })
    .transform((address) => address.replace(/\/+$/, ''))
    .optional();
  return { schema, fallback: undefined, ...description };
}

/** An address with credentials in it, so always a secret. */
export function optionalRedisUrl(description: Omit<Description<undefined>, 'fallback'>) {
  const schema = z.url({ protocol: /^rediss?$/, error: 'must be a redis or rediss address' }).optional();
  return { schema, fallback: undefined, ...description };
}

interface Choice<W extends string, F> extends Omit<Description<F>, 'unit'> {
  readonly words: readonly W[];
}

export function choice<const W extends string, const F extends W | undefined>({ words, ...rest }: Choice<W, F>) {
  return { schema: z.enum(words, { error: `must be one of ${words.join(', ')}` }), unit: words.join(', '), ...rest };
}
