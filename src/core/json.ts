/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** Returns whether a value is a JSON object, not an array and not `null`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an object's own member. `undefined` if the object has no member of this name. */
export function valueAt(object: JsonObject, name: string): Json | undefined {
  const value = object[name];
  // Most names are absent. Only a value may be inherited.
  return value !== undefined && Object.hasOwn(object, name) ? value : undefined;
}

/**
 * Parses JSON of the platform without losing digits. A number stays its source text if a double
 * cannot hold all of its significant digits, or if it is an integer beyond ±(2^53 − 1). Members
 * named `__proto__` are left out.
 *
 * @param admit receives the estimated bytes of memory of the value. For a large text it runs
 *   before the value is created. Its exceptions are passed on.
 * @throws {SyntaxError} if `text` is not JSON.
 * @throws {JsonLimitError} if it is nested too deep.
 */
export function parseJson(text: string, admit?: (bytes: number) => void): Json {
  // For short texts, walking the values takes a fifth of the time of scanning the characters.
  if (text.length <= MAX_UNSCANNED_LENGTH && !mayLoseDigits(text)) {
    const value: Json = JSON.parse(text);
    const bytes = text.length + cleanUp(value);
    admit?.(bytes);
    return value;
  }
  const scanned = new JsonScan(text, PLATFORM_LIMITS, (digits) => `"${digits}"`);
  admit?.(scanned.bytes);
  const value: Json = JSON.parse(scanned.text);
  if (scanned.hasPrototype) cleanUp(value);
  return value;
}

const PLATFORM_LIMITS: JsonLimits = { levels: 128 };
/** A text of brackets with this length is parsed in about ten milliseconds, to three megabytes. */
const MAX_UNSCANNED_LENGTH = 131_072;
/** Copying a member of this name by assignment would set the copy's prototype. */
const PROTOTYPE = '__proto__';

/**
 * Removes members named `__proto__`. Returns the estimated memory of a value in bytes, without its
 * characters.
 *
 * @throws {JsonLimitError} if it is nested too deep.
 */
function cleanUp(value: Json | undefined, depth = 0): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth === PLATFORM_LIMITS.levels) throw new JsonLimitError(LEVELS, depth);
  let bytes = BYTES_PER_CONTAINER;
  if (isArray(value)) {
    for (const item of value) bytes += BYTES_PER_VALUE + cleanUp(item, depth + 1);
    return bytes;
  }
  // `Object.values` takes several times as long for objects that were just parsed.
  for (const name in value) {
    if (name === PROTOTYPE) Reflect.deleteProperty(value, name);
    else bytes += BYTES_PER_VALUE + cleanUp(value[name], depth + 1);
  }
  return bytes;
}

const isArray = (value: readonly Json[] | JsonObject): value is readonly Json[] =>
  Array.isArray(value);

/** A double holds any number with fewer digits. */
const MANY_DIGITS = 16;
const LONG_EXPONENT = /\d[eE][+-]?\d{3}/;

/**
 * Returns whether a text may contain a number with too many digits for a double, or with an
 * exponent that is too large.
 */
const mayLoseDigits = (text: string): boolean => hasManyDigits(text) || LONG_EXPONENT.test(text);

/** Tests every sixteenth character: any sixteen digits in a row include one of them. */
function hasManyDigits(text: string): boolean {
  for (let index = 0; index < text.length; index += MANY_DIGITS) {
    let start = index;
    let end = index;
    while (isDigitOrPoint(text.charCodeAt(end))) end++;
    if (end > index) while (isDigitOrPoint(text.charCodeAt(start - 1))) start--;
    if (end - start >= MANY_DIGITS) return true;
  }
  return false;
}

const isDigitOrPoint = (unit: number): boolean => isDigit(unit) || unit === 0x2e;
const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;

/** Returns whether a number has all significant digits of its source text. */
export function isHeldExactly(source: string, value: number): boolean {
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value);
  const digits = significantDigits(source);
  if (digits.length > MAX_DOUBLE_DIGITS) return false;
  const isNormal = Math.abs(value) >= MIN_NORMAL && Number.isFinite(value);
  if (isNormal && digits.length < MANY_DIGITS) return true;
  const written = String(value);
  return written === source || significantDigits(written) === digits;
}

/** The most significant digits in the shortest text of a double. */
const MAX_DOUBLE_DIGITS = 17;
/** Smaller doubles have fewer digits. */
const MIN_NORMAL = 2 ** -1022;

/** Returns the digits of a decimal number from the first to the last non-zero digit. */
function significantDigits(number: string): string {
  let start = 0;
  let end = 0;
  for (let at = 0; at < number.length && !isExponent(number.charCodeAt(at)); at++) {
    const unit = number.charCodeAt(at);
    if (unit === 0x30 || !isDigit(unit)) continue;
    if (end === 0) start = at;
    end = at + 1;
  }
  return number.slice(start, end).replace('.', '');
}

/**
 * The estimated memory of an object or array, and of a value inside it, in bytes, without
 * characters.
 */
const BYTES_PER_CONTAINER = 56;
const BYTES_PER_VALUE = 16;

/** The limits of a JSON text. */
export interface JsonLimits {
  /** The highest number of nested lists and objects. */
  readonly levels: number;
  /** The highest number of items in one list. Unlimited by default. */
  readonly listItems?: number;
  /** The highest number of members in all objects together. Unlimited by default. */
  readonly members?: number;
}

/** A JSON text exceeds a limit. Clients get the message. */
export class JsonLimitError extends Error {
  constructor(counted: string, max: number) {
    super(`Too many ${counted}: ${max + 1} or more, and at most ${max} are allowed.`);
  }
}

const LEVELS = 'levels of lists and objects';

/**
 * Scans a JSON text before it is parsed. Checks limits, and replaces numbers that a double cannot
 * hold. It detects malformed JSON only where the replacement would hide it; `JSON.parse` detects
 * the rest.
 *
 * Characters are compared as literals: with constants the scan takes almost twice as long.
 */
export class JsonScan {
  /** The estimated memory of the value, in bytes. */
  bytes: number;
  /** Whether an object may have a member named `__proto__`. */
  hasPrototype = false;
  /** Whether the text has a number that a double cannot hold. */
  hasInexact = false;
  readonly #text: string;
  readonly #units: Uint16Array;
  readonly #limits: JsonLimits;
  readonly #replace: (digits: string) => string;
  /** The number of further items that each open list may have. */
  readonly #room: number[] = [];
  #depth = 0;
  #members = 0;
  /** The start of the last string. 0 after a number that may be replaced. */
  #name = 0;
  /** The text before `#copied`, with its numbers replaced. The latest parts are not yet joined. */
  #written = '';
  #parts: string[] = [];
  #copied = 0;

  /**
   * @param replace returns the JSON text for a number that a double cannot hold.
   * @throws {JsonLimitError} if the text exceeds a limit.
   * @throws {SyntaxError} if a name is a number.
   */
  constructor(text: string, limits: JsonLimits, replace: (digits: string) => string) {
    this.#text = text;
    this.#units = toUnits(text);
    this.#limits = limits;
    this.#replace = replace;
    this.bytes = text.length;
    for (let at = 0; at < text.length; at++) at = this.#read(at);
  }

  /** The text with the numbers replaced. */
  get text(): string {
    return this.#written + this.#parts.join('') + this.#text.slice(this.#copied);
  }

  /** Reads the token at a position. Returns the position of its last character. */
  #read(at: number): number {
    const unit = this.#units[at] as number;
    switch (unit) {
      case 0x22: // "
        this.#name = at + 1;
        return this.#endOfString(at);
      case 0x5b: // [
        this.#open(this.#limits.listItems ?? Infinity);
        return at;
      case 0x7b: // {
        this.#open(Infinity);
        return at;
      case 0x5d: // ]
      case 0x7d: // }
        this.#depth--;
        return at;
      case 0x2c: // ,
        this.#countItem();
        return at;
      case 0x3a: // :
        this.#countMember();
        return at;
      default:
        return isDigit(unit) || unit === 0x2d ? this.#readNumber(at) : at;
    }
  }

  #endOfString(start: number): number {
    const { length } = this.#text;
    let at = start + 1;
    while (at < length && this.#units[at] !== 0x22) at += this.#units[at] === 0x5c ? 2 : 1;
    return at;
  }

  #open(maxItems: number): void {
    this.bytes += BYTES_PER_CONTAINER;
    const { levels } = this.#limits;
    if (++this.#depth > levels) throw new JsonLimitError(LEVELS, levels);
    this.#room[this.#depth] = maxItems;
  }

  #countItem(): void {
    this.bytes += BYTES_PER_VALUE;
    const left = (this.#room[this.#depth] ?? 0) - 1;
    this.#room[this.#depth] = left;
    if (left === 0) throw new JsonLimitError('items in a list', this.#limits.listItems ?? 0);
  }

  #countMember(): void {
    const { members = Infinity } = this.#limits;
    if (++this.#members > members) throw new JsonLimitError('members of objects', members);
    // The replacement of a number has quotes, so a number in place of a name would become valid.
    if (this.#name === 0) throw new SyntaxError('A name is not a string');
    this.hasPrototype ||= mayBePrototype(this.#units, this.#name);
  }

  #readNumber(start: number): number {
    const units = this.#units;
    let end = start + 1;
    let exponent = Infinity;
    for (; isOfNumber(units[end] as number); end++) {
      if (isExponent(units[end] as number)) exponent = end;
    }
    if (end - start >= MANY_DIGITS || end - exponent > 3) this.#checkNumber(start, end);
    return end - 1;
  }

  #checkNumber(start: number, end: number): void {
    this.#name = 0;
    const digits = this.#text.slice(start, end);
    if (!LONG_INTEGER.test(digits) && isHeldExactly(digits, JSON.parse(digits))) return;
    this.hasInexact = true;
    this.#parts.push(this.#text.slice(this.#copied, start), this.#replace(digits));
    this.#copied = end;
    // The garbage collector copies small parts at each run. Join them before there are millions.
    if (this.#parts.length < MAX_PARTS) return;
    this.#written += this.#parts.join('');
    this.#parts = [];
  }
}

const MAX_PARTS = 1_000;
const LONG_INTEGER = /^-?[1-9]\d{16,}$/;

/**
 * The code units of a short text, with a zero after the last one. Scans share it, because a new
 * array takes longer than such a scan. No scan runs within another.
 */
const SHARED_UNITS = new Uint16Array(4_096);
const SHARED_BYTES = Buffer.from(SHARED_UNITS.buffer);

/**
 * Returns the code units of a text, with a zero after the last one. An array is read several times
 * as fast as a string.
 */
function toUnits(text: string): Uint16Array {
  if (text.length < SHARED_UNITS.length) {
    SHARED_BYTES.write(text, 'utf16le');
    SHARED_UNITS[text.length] = 0;
    return SHARED_UNITS;
  }
  const units = new Uint16Array(text.length + 1);
  Buffer.from(units.buffer).write(text, 'utf16le');
  return units;
}

/** Returns whether a name begins with two underscores or with an escape. */
const mayBePrototype = (units: Uint16Array, start: number): boolean =>
  units[start] === 0x5c ||
  (units[start] === 0x5f && (units[start + 1] === 0x5f || units[start + 1] === 0x5c));

const isOfNumber = (unit: number): boolean =>
  isDigitOrPoint(unit) || isExponent(unit) || unit === 0x2b || unit === 0x2d; // + or -
const isExponent = (unit: number): boolean => unit === 0x65 || unit === 0x45; // e or E

/**
 * Returns a function that finds the first member under one of `names` that has the right type. The
 * function returns `undefined` if there is no such member.
 */
const pickOf =
  <T extends Json>(isOfKind: (value: Json | undefined) => value is T) =>
  (object: JsonObject, names: readonly string[]): T | undefined => {
    for (const name of names) {
      const value = valueAt(object, name);
      if (isOfKind(value)) return value;
    }
    return undefined;
  };

/** Returns the first member under one of `names` that is not `null`. */
export const pick = pickOf(
  (value): value is NonNullable<Json> => value !== undefined && value !== null,
);

/**
 * Returns a member as text. Numbers and booleans are converted. `undefined` for lists and objects.
 */
export function pickText(object: JsonObject, names: readonly string[]): string | undefined {
  const value = pick(object, names);
  return value === undefined || typeof value === 'object' ? undefined : String(value);
}

/** Returns the first member under one of `names` that is an array. */
export const pickArray = pickOf((value): value is readonly Json[] => Array.isArray(value));

/** Returns the first member under one of `names` that is an object. */
export const pickObject = pickOf(isJsonObject);

/**
 * Returns a value that must be present in a response.
 *
 * @throws {Error} if the value is `undefined`. The call then fails as `malformed`.
 */
export function required<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the answer has no ${what}`);
  return value;
}

/**
 * Returns a body that must be a JSON object.
 *
 * @throws {Error} if the body is not a JSON object.
 */
export function requiredObject(body: Json | undefined, what: string): JsonObject {
  return required(isJsonObject(body) ? body : undefined, what);
}
