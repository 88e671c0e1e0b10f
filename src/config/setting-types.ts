import { z } from 'zod';

import { orUndefined } from '../core/errors.ts';

declare module 'zod' {
  /** The metadata of a setting for documents and `--help`, in addition to `description`. */
  interface GlobalMeta {
    /** The unit of the value. Absent for words and free text. */
    unit?: string;
    /** The behaviour without a value, if there is no default value. */
    whenUnset?: string;
    /** A secret is never printed. Its value may also be in the file of `NAME_FILE`. */
    isSecret?: boolean;
    /**
     * Whether the public schema depends on the setting. Commands that print the schema then read
     * it.
     */
    isOfSchema?: boolean;
  }
}

/** A setting for documents and `--help`. */
export interface SettingFacts
  extends Pick<z.GlobalMeta, 'whenUnset' | 'isSecret' | 'isOfSchema' | 'description'> {
  readonly name: string;
  /** The unit of the value, or the allowed words. Empty for free text. */
  readonly unit: string;
  /** The value if the environment has no value. Absent if there is no default. */
  readonly default?: unknown;
}

/** Returns the settings of an object in order. */
export const factsOf = ({ shape }: z.ZodObject): readonly SettingFacts[] =>
  Object.entries(shape).map(([name, type]) => {
    const hasDefault = type instanceof z.ZodDefault || type instanceof z.ZodPrefault;
    const inner = hasDefault || type instanceof z.ZodOptional ? type.unwrap() : type;
    const read = inner instanceof z.ZodPipe ? inner.in : inner;
    const words = read instanceof z.ZodEnum ? read.options.join(', ') : '';
    const { unit = words, ...meta } = (type instanceof z.ZodType && type.meta()) || {};
    return { name, unit, default: hasDefault ? type.def.defaultValue : undefined, ...meta };
  });

/** Creates the type of an integer within inclusive bounds. */
export function integer(from: number, to: number) {
  const error = `must be an integer from ${from} to ${to}`;
  return z
    .string()
    .regex(/^-?\d+$/, { error, abort: true })
    .transform(Number)
    .pipe(z.number().min(from, { error }).max(to, { error }));
}

/** Creates the type of one of these words. */
export const oneOf = <const W extends readonly string[]>(...words: W) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` });

/**
 * Creates the type of an http or https address without credentials and fragment. Trailing slashes
 * are removed.
 */
export function httpUrl() {
  const error = 'must be an http or https address';
  return z
    .string()
    .refine((address) => /^[a-z][a-z\d+.-]*:\/\//i.test(address), {
      error: 'has no scheme: put https:// (or http://) before it',
      abort: true,
    })
    .refine((address) => URL.canParse(address) && /^https?:/i.test(address), { error, abort: true })
    .refine((address) => new URL(address).username === '', {
      error: 'must not hold credentials; they have settings',
    })
    .refine((address) => new URL(address).hash === '', { error: 'must not have a fragment' })
    .transform((address) => address.replace(/\/+$/, ''));
}

const DATA = 'data:application/json,';
const KEYS_ERROR = `must be an http or https address, or public keys as ${DATA}{"keys":[…]}`;
const KEY_SET = z.object({
  keys: z.array(z.looseObject({ kty: z.string(), d: z.never().optional() })).min(1),
});

/** The type of a JSON Web Key Set: its address, or a data URL with public keys. */
export const JWKS_URL = z.union(
  [
    httpUrl(),
    z
      .string()
      .startsWith(DATA, { error: KEYS_ERROR, abort: true })
      .refine(
        (url) =>
          KEY_SET.safeParse(
            orUndefined(() => JSON.parse(decodeURIComponent(url.slice(DATA.length)))),
          ).success,
        { error: KEYS_ERROR },
      ),
  ],
  { error: KEYS_ERROR },
);

/** The type of an HTTP proxy's address, without a path. */
export const PROXY_URL = z
  .string()
  .refine(
    (text) =>
      /^http:\/\/[^/?#]+\/?$/i.test(text) &&
      orUndefined(() => decodeURIComponent(new URL(text).href)),
    {
      error:
        'must be an address such as http://user:password@host:3128, with %25 for %, %2F for / and %40 for @ in the password',
      abort: true,
    },
  )
  .transform((text) => new URL(text));

export const PORT_NUMBER = integer(0, 65_535);
export const TEXT = z.string();
/** The type of a switch: `true` for `on`. Set a default as text: `prefault('off')`. */
export const ON_OFF = oneOf('on', 'off').transform((word) => word === 'on');

/** Splits a list at commas and line ends. Empty entries are removed. */
export const listOf = (text = ''): string[] =>
  text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter(Boolean);

/** The hint on how to create a key for `SESSION_KEYS`. */
export const MAKE_KEY = '"openssl rand -base64 32" makes a key';
