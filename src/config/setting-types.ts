import { z } from 'zod';

import { orUndefined } from '../core/errors.ts';

declare module 'zod' {
  /** What documents and `--help` print of a setting, besides its `description`. */
  interface GlobalMeta {
    /** The unit of the value; absent for words and for any text. */
    unit?: string;
    /** The behaviour without a value, where that is no fixed value. */
    whenUnset?: string;
    /** A secret is never printed, and may also be in the file that `NAME_FILE` names. */
    isSecret?: boolean;
    /** Whether the public schema depends on it, so that commands which print that read it. */
    isOfSchema?: boolean;
  }
}

/** A setting, as documents and `--help` print it. */
export interface SettingFacts
  extends Pick<z.GlobalMeta, 'whenUnset' | 'isSecret' | 'isOfSchema' | 'description'> {
  readonly name: string;
  /** The unit of the value, or the words that it is one of; empty for any text. */
  readonly unit: string;
  /** The value when the environment has none; absent where there may be no value. */
  readonly default?: unknown;
}

/** Gives the settings of an object in its order. */
export const factsOf = ({ shape }: z.ZodObject): readonly SettingFacts[] =>
  Object.entries(shape).map(([name, type]) => {
    const hasDefault = type instanceof z.ZodDefault || type instanceof z.ZodPrefault;
    const inner = hasDefault || type instanceof z.ZodOptional ? type.unwrap() : type;
    const read = inner instanceof z.ZodPipe ? inner.in : inner;
    const words = read instanceof z.ZodEnum ? read.options.join(', ') : '';
    const { unit = words, ...meta } = (type instanceof z.ZodType && type.meta()) || {};
    return { name, unit, default: hasDefault ? type.def.defaultValue : undefined, ...meta };
  });

/** An integer within bounds, both included. */
export function integer(from: number, to: number) {
  const error = `must be an integer from ${from} to ${to}`;
  return z
    .string()
    .regex(/^-?\d+$/, { error, abort: true })
    .transform(Number)
    .pipe(z.number().min(from, { error }).max(to, { error }));
}

/** One of these words. */
export const oneOf = <const W extends readonly string[]>(...words: W) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` });

/** An http or https address without credentials, fragment and closing slash. */
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

/** The address of a JSON Web Key Set, or a set of public keys alone. */
export const JWKS_URL = z.union(
  [
    httpUrl(),
    z
      .string()
      .startsWith(DATA, { error: KEYS_ERROR })
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

/** The address of an HTTP proxy, without a path. */
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
/** `true` for `on`. A default is a text: `prefault('off')`. */
export const ON_OFF = oneOf('on', 'off').transform((word) => word === 'on');

/** Entries with commas or ends of line between them. */
export const listOf = (text = ''): string[] =>
  text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter(Boolean);

/** How to make a key of `SESSION_KEYS`. */
export const MAKE_KEY = '"openssl rand -base64 32" makes a key';
