/** Any value that JSON can carry. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** Whether a value is a JSON object, not an array and not `null`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of an object's own member; `undefined` where it has none of this name. */
export const valueAt = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/**
 * Parses JSON of the platform without losing digits: a number that a double cannot hold with all of
 * its significant digits stays its source text, and so does every integer beyond ±(2^53 − 1).
 * Members named `__proto__` are left out.
 *
 * @param admit receives the estimated bytes of memory of the value, before a large one is made.
 *   Its exceptions are passed on.
 * @throws {SyntaxError} if `text` is not JSON.
 * @throws {JsonLimitError} if it is nested too deep.
 */
export function parseJson(text: string, admit?: (bytes: number) => void): Json {
  // For short texts a walk over the values takes a fifth of the time of one over the characters.
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
/** Brackets of this length are parsed in some ten milliseconds, to a value of three megabytes. */
const MAX_UNSCANNED_LENGTH = 131_072;
/** A copy by assignment would turn a member of this name into the copy's prototype. */
const PROTOTYPE = '__proto__';

/**
 * Removes members named `__proto__`, and returns the estimated memory of a value besides its
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

/** Every double holds one digit less. */
const MANY_DIGITS = 16;
const LONG_EXPONENT = /\d[eE][+-]?\d{3}/;

/** Whether a text may hold a number with too many digits for a double, or too large an exponent. */
const mayLoseDigits = (text: string): boolean => hasManyDigits(text) || LONG_EXPONENT.test(text);

/** Looks at each sixteenth character, since sixteen in a row include one of these. */
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

/** Whether a number has all significant digits of its source text. */
export function isHeldExactly(source: string, value: number): boolean {
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value);
  const digits = significantDigits(source);
  if (digits.length > MAX_DOUBLE_DIGITS) return false;
  const isNormal = Math.abs(value) >= MIN_NORMAL && Number.isFinite(value);
  if (isNormal && digits.length < MANY_DIGITS) return true;
  const written = String(value);
  return written === source || significantDigits(written) === digits;
}

/** The most significant digits of the shortest text of a double. */
const MAX_DOUBLE_DIGITS = 17;
/** Doubles below have fewer digits. */
const MIN_NORMAL = 2 ** -1022;

/** Returns the digits of a decimal number from the first to the last that is not zero. */
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

/** The estimated memory of an object or array, and of a value in it, besides its characters. */
const BYTES_PER_CONTAINER = 56;
const BYTES_PER_VALUE = 16;

/** The limits of a JSON text. */
export interface JsonLimits {
  /** Of lists and objects in one another. */
  readonly levels: number;
  /** Of each list. Without a limit by default. */
  readonly listItems?: number;
  /** Of all objects together. Without a limit by default. */
  readonly members?: number;
}

/** A JSON text is beyond a limit. Its message is meant for the client. */
export class JsonLimitError extends Error {
  constructor(counted: string, max: number) {
    super(`Too many ${counted}: ${max + 1} or more, and at most ${max} are allowed.`);
  }
}

const LEVELS = 'levels of lists and objects';

/**
 * A scan of a JSON text before it is parsed: it checks limits, and replaces numbers that a double
 * cannot hold. It finds malformed JSON only where it must; `JSON.parse` finds the rest.
 *
 * Characters are compared as literals: with constants the scan takes almost twice as long.
 */
export class JsonScan {
  /** The estimated memory of the value. */
  bytes: number;
  /** Whether an object may have a member named `__proto__`. */
  hasPrototype = false;
  /** Whether a double cannot hold one of the numbers. */
  hasInexact = false;
  readonly #text: string;
  readonly #units: Uint16Array;
  readonly #limits: JsonLimits;
  readonly #replace: (digits: string) => string;
  /** The items that each open list may still have. */
  readonly #room: number[] = [];
  #depth = 0;
  #members = 0;
  /** The start of the last string, unless a number that may be replaced follows it. */
  #name = 0;
  /** The text before `#copied` with its numbers replaced, the latest parts by themselves. */
  #written = '';
  #parts: string[] = [];
  #copied = 0;

  /**
   * @param replace returns the JSON text in place of a number that a double cannot hold.
   * @throws {JsonLimitError} for a text beyond a limit. @throws {SyntaxError}
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

  /** Reads what begins at a position, and returns the position of its last character. */
  #read(at: number): number {
    const unit = this.#units[at] as number;
    switch (unit) {
      case 0x22: // "
        this.#name = at + 1;
        return endOfString(this.#units, at);
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
    // In quotes, a number in place of a name would be one.
    if (this.#name === 0) throw new SyntaxError('A name is not a string');
    this.hasPrototype ||= mayBePrototype(this.#units, this.#name);
  }

  #readNumber(start: number): number {
    const units = this.#units;
    let end = start + 1;
    let exponent = Infinity;
    for (; end < units.length && isOfNumber(units[end] as number); end++) {
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
    // Millions of small parts would be copied at each collection of garbage.
    if (this.#parts.length < MAX_PARTS) return;
    this.#written += this.#parts.join('');
    this.#parts = [];
  }
}

const MAX_PARTS = 1_000;
const LONG_INTEGER = /^-?[1-9]\d{16,}$/;

/** An array of code units is read several times as fast as a string. */
function toUnits(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  Buffer.from(units.buffer).write(text, 'utf16le');
  return units;
}

function endOfString(units: Uint16Array, start: number): number {
  let at = start + 1;
  while (at < units.length && units[at] !== 0x22) at += units[at] === 0x5c ? 2 : 1;
  return at;
}

/** Whether a name begins with two underscores, or with an escape. */
const mayBePrototype = (units: Uint16Array, start: number): boolean =>
  units[start] === 0x5c ||
  (units[start] === 0x5f && (units[start + 1] === 0x5f || units[start + 1] === 0x5c));

const isOfNumber = (unit: number): boolean =>
  isDigitOrPoint(unit) || isExponent(unit) || unit === 0x2b || unit === 0x2d; // + or -
const isExponent = (unit: number): boolean => unit === 0x65 || unit === 0x45; // e or E

/** Makes what gives the first member of a kind that is there under one of `names`. */
const pickOf =
  <T extends Json>(isOfKind: (value: Json | undefined) => value is T) =>
  (object: JsonObject, names: readonly string[]): T | undefined => {
    for (const name of names) {
      const value = valueAt(object, name);
      if (isOfKind(value)) return value;
    }
    return undefined;
  };

/** Gives a member that is not `null`. */
export const pick = pickOf(
  (value): value is NonNullable<Json> => value !== undefined && value !== null,
);

/** Gives a member as text: strings as they are, numbers and booleans by their digits and words. */
export function pickText(object: JsonObject, names: readonly string[]): string | undefined {
  const value = pick(object, names);
  return value === undefined || typeof value === 'object' ? undefined : String(value);
}

/** Gives a member that is an array. */
export const pickArray = pickOf((value): value is readonly Json[] => Array.isArray(value));

/** Gives a member that is an object. */
export const pickObject = pickOf(isJsonObject);

/**
 * Gives back what must be there.
 *
 * @throws {Error} when it is not; the caller's call then counts as malformed.
 */
export function required<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the answer has no ${what}`);
  return value;
}

/** @throws {Error} when the body is no JSON object. */
export function requiredObject(body: Json | undefined, what: string): JsonObject {
  return required(isJsonObject(body) ? body : undefined, what);
}
