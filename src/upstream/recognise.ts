import { isJsonObject, type Json, type JsonObject, pick, pickText, valueAt } from '../core/json.ts';
import { findId, findItems, readLinks } from './decoders.ts';
import type { Dialect } from './dialect.ts';
import {
  type Contradiction,
  ERROR_NAME,
  findContradiction,
  isCompanion,
  kindOfErrorMember,
  namesError,
  objectsWithin,
} from './error-body.ts';
import { isInt64 } from './path.ts';
import {
  type Answer,
  type DialectNames,
  MISMATCHES,
  type Mismatch,
  type Promised,
  UnrecognisedError,
} from './promised.ts';

interface Reading {
  readonly promised: Promised<never>;
  readonly answer: Answer;
  readonly dialect: Dialect;
  /** Returns the path of the operation below `{base_url}/v1.0`. */
  readonly path: () => string;
}

/**
 * Decides whether a 2xx response is the one that its operation promises, based on the operation's
 * record. This is the only place that decides it.
 *
 * @param askedId the id of the requested record, if the response may repeat it.
 * @returns the response. Its `body` is the record, without an envelope.
 * @throws {UnrecognisedError} for any other response.
 */
export function recognise(reading: Reading, askedId: string | undefined): Answer {
  const { is } = reading.promised;
  const recognised = RECOGNISERS[is](reading);
  const id = askedId === undefined ? undefined : idIn(recognised.body, reading);
  if (id === undefined || id === askedId) return recognised;
  // A confirmation may have its own id, for example a UUID.
  if (is === 'done' && !isInt64(id)) return recognised;
  throw new UnrecognisedError('other-id');
}

const RECOGNISERS = {
  list: recogniseList,
  record: recogniseRecord,
  created: recogniseCreated,
  done: recogniseDone,
} as const satisfies Record<Promised<never>['is'], (reading: Reading) => Answer>;

/** Returns a message with the expected members, and the dialect's members that describe them. */
export function describeMismatch(
  { called, id, members, formId, is }: Promised<never>,
  why: Mismatch,
  dialect: Dialect,
): string {
  const named = id === undefined ? members : [id, ...members];
  const places = named.map((place) => `${namesAt(place, dialect).join(', ')} (${place})`);
  if (is !== 'list') places.push(`${dialect.envelope.join(', ')} (envelope)`);
  if (formId) places.push('the fields of the form');
  if (is === 'created') places.push('Location; a self link');
  const looked = `Looked for ${places.join('; ')}; the dialect’s members in brackets set these names.`;
  return `The response should be ${called}, and ${MISMATCHES[why]}. ${looked}`;
}

/** Returns the names that a member of the dialect holds. */
function namesAt(place: DialectNames, dialect: Dialect): readonly string[] {
  // Any two parts of such a place lead to a list of names.
  const [section, member] = place.split('.') as [keyof Dialect, never];
  return dialect[section]?.[member] ?? [];
}

/** Reads the id of a value that is an object. */
function idIn(value: Json | undefined, { promised, answer, dialect }: Reading): string | undefined {
  if (promised.id === undefined || !isJsonObject(value)) return undefined;
  return findId(value, namesAt(promised.id, dialect), answer.fields);
}

/** A row proves a list, even with an error. Without rows, an array without an error proves it. */
function recogniseList(reading: Reading): Answer {
  const { answer, dialect } = reading;
  const row = findItems(answer.body, dialect.list.items, dialect)?.[0];
  const isRow = Array.isArray(row) || idIn(row, reading) !== undefined;
  if (isRow) return answer;

  const contradiction = contradictionOf(reading, { value: answer.body, isNamed: false });
  if (isClear(contradiction)) throw new UnrecognisedError('refused');
  // The error may be why the list is empty.
  if (row === undefined && namesError(answer.body, dialect.error))
    throw new UnrecognisedError('ambiguous');
  return answer;
}

function recogniseRecord(reading: Reading): Answer {
  const { answer } = reading;
  const own = examine(answer.body, reading);
  if (own.content === 'values' || own.content === 'field') return answer;

  const contradiction = contradictionOf(reading, own);
  const isRefused = isClear(contradiction);
  const inner = findInner(reading, isRecord);
  if (isOwn(own, inner, answer) && !isOfError(own, contradiction, reading)) return answer;
  const isProof = inner !== undefined && (isCertain(inner) || !isRefused);
  if (isProof && !isOfError(inner, contradictionOf(reading, inner), reading)) {
    return { ...answer, body: inner.value };
  }
  const guess = findGuess(reading, own, contradiction);
  if (guess) return { ...answer, body: guess.value };
  throw new UnrecognisedError(isRefused ? 'refused' : 'absent');
}

/** Finds a record without any of the dialect's members. */
function findGuess(
  reading: Reading,
  own: Evidence,
  contradiction: Contradiction | undefined,
): Evidence | undefined {
  const { id, formId } = reading.promised;
  if (formId && own.guess === 'field' && contradiction === 'status') return own;
  if (isClear(contradiction)) return undefined;
  // The array of a rule's parameters may have any name. The decoder decides.
  if (formId === undefined) {
    const isEmpty = !findItems(own.value, [], reading.dialect)?.length;
    const isFailed = isEmpty && namesError(own.value, reading.dialect.error);
    return id !== undefined || isFailed ? undefined : own;
  }
  // If the form's fields are unknown, any member may be a field.
  return own.guess ? own : findInner(reading, ({ guess }) => guess !== undefined);
}

/**
 * Returns the response to a creation with the id of the created record. The id may be in the body,
 * in an envelope, in `Location`, in a bare value or in a self link.
 */
function recogniseCreated(reading: Reading): Answer {
  const { answer } = reading;
  const own = examine(answer.body, reading);
  const inner = findInner(reading, isRecord);
  const record = isOwn(own, inner, answer) ? own : (inner ?? own);
  // A field of the form may have the same name as the id, and contain it.
  const field = idIn(record.value, { ...reading, answer: { ...answer, fields: undefined } });
  const candidates = [record.id, own.id, inner?.id, idBeside(reading), field];
  const ids = candidates.filter((id) => id !== undefined);
  checkContradiction(reading, inner, ids.length > 0);
  if (!isRecord(record)) checkWithin(reading);

  const id = ids.find(isInt64);
  if (id === undefined) throw new UnrecognisedError(ids.length > 0 ? 'not-int64' : 'absent');
  if (/^(-|0+$)/.test(id) && hasMessage(reading, record)) throw new UnrecognisedError('ambiguous');
  const body = typeof record.value === 'object' ? (record.value ?? undefined) : undefined;
  return { ...answer, body, id, hasContent: hasContent(record) || record.guess !== undefined };
}

/** Returns whether a message is beside a record or in it. An id below 1 may then mean a failure. */
function hasMessage({ answer, dialect }: Reading, { value }: Evidence): boolean {
  const { message, fieldMessage } = dialect.error;
  // Headings such as `title` are usual in records.
  const names = [...message, ...fieldMessage].filter(
    (name) => !answer.fields?.has(name) && kindOfErrorMember(name, dialect) !== 'message',
  );
  const holders = [answer.body, value].filter(isJsonObject);
  return holders.some((holder) => Boolean(pickText(holder, names)));
}

/** A 2xx status confirms a change without a promised body, unless the body contradicts it. */
function recogniseDone(reading: Reading): Answer {
  const { answer } = reading;
  const own = examineOwn(reading);
  const inner = findInner(reading, isRecord);
  checkContradiction(reading, inner, false);
  if (isRecord(own)) return { ...answer, body: own.value };
  if (inner) return { ...answer, body: inner.value };

  checkWithin(reading);
  return answer;
}

/** Throws if a member of a body without the record describes an error. */
function checkWithin(reading: Reading): void {
  const { answer, dialect } = reading;
  const nearest = nearestObjects(answer.body, dialect);
  const isError = (object: JsonObject): boolean => {
    const contradiction = findContradiction(object, dialect.error);
    if (contradiction === 'doubt') return nearest.has(object) && isInDoubt(object, dialect);
    return !isCopy(examine(object, reading), contradiction);
  };
  if (objectsWithin(answer.body).some(isError)) throw new UnrecognisedError('ambiguous');
}

/**
 * Returns whether an object in a body may state a failure. Its `code` may be any code. A word such
 * as `rejected` may be the state of a part of the record.
 */
function isInDoubt(object: JsonObject, dialect: Dialect): boolean {
  const ignored = new Set(['code']);
  for (const [name, value] of Object.entries(object)) {
    const isState = typeof value === 'string' && /^(?!error|fail)[a-z]+$/i.test(value);
    if (isState && !ERROR_NAME.test(name)) ignored.add(name);
  }
  return findContradiction(object, dialect.error, ignored) === 'doubt';
}

/**
 * Returns the objects in the members and lists of a body that may be its outcome. Beside a value of
 * the body they may be parts of a record.
 */
function nearestObjects(body: Json | undefined, dialect: Dialect): ReadonlySet<JsonObject> {
  const nearest = new Set<JsonObject>();
  if (isJsonObject(body) && hasValue(body, dialect)) return nearest;
  const members: readonly Json[] = typeof body === 'object' && body ? Object.values(body) : [];
  for (const object of members.flat().slice(0, MAX_NEAREST)) {
    if (isJsonObject(object)) nearest.add(object);
  }
  return nearest;
}

/** The highest number of objects of a body that may be its outcome. */
const MAX_NEAREST = 50;

/** Returns whether an object has a text, number or flag that is not usual in errors. */
const hasValue = (object: JsonObject, dialect: Dialect): boolean =>
  Object.entries(object).some(
    ([name, value]) =>
      typeof value !== 'object' &&
      kindOfErrorMember(name, dialect) === undefined &&
      !dialect.error.fieldMessage.includes(name.toLowerCase()),
  );

/** Examines the body of a change. It may contain a copy of the record in an array. */
function examineOwn(reading: Reading): Evidence {
  const { body } = reading.answer;
  const whole = examine(body, reading);
  const isInArray = Array.isArray(body) && reading.promised.id !== undefined && !whole.content;
  return isInArray ? examine(body.find(isJsonObject), reading) : whole;
}

/**
 * Throws if a change's response contradicts its status.
 *
 * @param isFound whether an id was found outside the body.
 */
function checkContradiction(reading: Reading, inner: Evidence | undefined, isFound: boolean): void {
  const own = examineOwn(reading);
  const contradiction = contradictionOf(reading, own);
  if (isCopy(own, contradiction)) {
    const isDone = inner === undefined || isCopy(inner, contradictionOf(reading, inner));
    if (!isDone && !isRecord(own)) throw new UnrecognisedError('ambiguous');
    return;
  }
  const mayBeOwn =
    contradiction !== 'error' && (own.guess !== undefined || !isClear(contradiction));
  const isProven = own.content !== undefined || [own, inner].some((one) => one && isCertain(one));
  throw new UnrecognisedError(isFound || mayBeOwn || isProven ? 'ambiguous' : 'refused');
}

/** Returns whether a copy of the record outweighs a contradiction. True without a contradiction. */
function isCopy(
  { id, content, guess }: Evidence,
  contradiction: Contradiction | undefined,
): boolean {
  if (contradiction === undefined) return true;
  if (contradiction === 'error') return false;
  if (content === 'field' || (content !== undefined && !isClear(contradiction))) return true;
  // With an id, a member such as `status` may belong to the record.
  return id !== undefined && (contradiction === 'doubt' || (content ?? guess) !== undefined);
}

/** The evidence that a value is the promised record. */
interface Evidence {
  readonly value: Json | undefined;
  readonly id?: string | undefined;
  /** Whether a member of the dialect proves it. */
  readonly isNamed: boolean;
  /**
   * The position of its content: `values` for a member of values, otherwise the likeness of its own
   * members.
   */
  readonly content?: 'values' | Likeness | undefined;
  /**
   * Set if the form's fields are unknown, so that any other member may be a field: how similar the
   * names of these members are to errors.
   */
  readonly guess?: Likeness | undefined;
}

/**
 * The similarity of a record's member names to errors. `field`: not similar. `message`: like a
 * heading of an error. `error`: like another member of errors, which does not prove a record.
 */
type Likeness = 'field' | 'message' | 'error';

function examine(value: Json | undefined, reading: Reading): Evidence {
  const { promised, answer, dialect } = reading;
  const { fields } = answer;
  const isEntry = (entry: Json): entry is JsonObject =>
    isJsonObject(entry) && typeof entry['name'] === 'string';
  if (!isJsonObject(value)) {
    const isField = (entry: Json) =>
      isEntry(entry) && (!fields || fields.has(String(entry['name'])));
    const isNamed = Array.isArray(value) && value.some(isField);
    return { value, isNamed, content: isNamed ? 'field' : undefined };
  }

  const id = idIn(value, reading);
  const held = heldIn(value, reading);
  const isOdd = promised.formId && Array.isArray(held) && held.length > 0 && !held.some(isEntry);
  const isNamed = typeof held === 'object' && !isOdd;
  if (isNamed && Object.keys(held ?? {}).length > 0)
    return { value, id, isNamed, content: 'values' };
  if (fields) return { value, id, isNamed, content: likenessOf(value, fields, dialect) };
  const ids = promised.id ? namesAt(promised.id, dialect) : [];
  const isOther = (name: string) =>
    ![...ids, ...dialect.envelope].includes(name) && !isCompanion(name, dialect);
  const others = new Set(Object.keys(value).filter(isOther));
  return { value, id, isNamed, guess: likenessOf(value, others, dialect) };
}

/** Returns the best likeness of the members with these names. */
function likenessOf(
  value: JsonObject,
  names: ReadonlySet<string>,
  dialect: Dialect,
): Likeness | undefined {
  let likeness: Likeness | undefined;
  for (const name in value) {
    if (!names.has(name)) continue;
    const kind = kindOfErrorMember(name, dialect);
    if (kind === undefined) return 'field';
    if (likeness !== 'message') likeness = kind;
  }
  return likeness;
}

/** Returns the first member that proves a record. */
function heldIn(value: JsonObject, { promised, dialect }: Reading): Json | undefined {
  for (const member of promised.members) {
    const held = pick(value, namesAt(member, dialect));
    if (held !== undefined) return held;
  }
  return undefined;
}

function findInner(reading: Reading, isFound: (evidence: Evidence) => boolean) {
  const { answer, dialect } = reading;
  if (!isJsonObject(answer.body)) return undefined;
  for (const name of dialect.envelope) {
    const evidence = examine(valueAt(answer.body, name), reading);
    if (isFound(evidence)) return evidence;
  }
  return undefined;
}

/** JSend has messages by field under `data`, so with an error a field does not prove a record. */
const isCertain = ({ id, isNamed }: Evidence): boolean => id !== undefined || isNamed;

const hasContent = ({ content }: Evidence): boolean => content !== undefined && content !== 'error';

const isRecord = (evidence: Evidence): boolean => isCertain(evidence) || hasContent(evidence);

/** Returns whether the body itself is the record, instead of an envelope with the form's fields. */
const isOwn = (own: Evidence, inner: Evidence | undefined, { fields }: Answer): boolean =>
  hasContent(own) || (isCertain(own) && !(fields && inner?.content));

/** Returns whether an id, or a heading such as `title`, may belong to an error. */
function isOfError(
  { value, id, content, guess }: Evidence,
  contradiction: Contradiction | undefined,
  { answer: { fields }, dialect }: Reading,
): boolean {
  if (content !== undefined) return id === undefined && isClear(contradiction);
  if (contradiction === 'error') return guess === undefined;
  const isUnsure = contradiction === 'status' || namesError(value, dialect.error);
  return isUnsure && (fields !== undefined || id === undefined);
}

/**
 * Finds a contradiction in a value. A body with the type of RFC 9457 is always an error.
 *
 * @param evidence the evidence of the value. If it proves a record, the form's fields are
 *   ignored.
 */
function contradictionOf(
  { answer, dialect }: Reading,
  { value, id, content }: Evidence,
): Contradiction | undefined {
  const { headers, fields } = answer;
  if (/\bproblem\+json\b/i.test(headers['content-type'] ?? '')) return 'error';
  const isProven = id !== undefined || content === 'values' || content === 'field';
  return findContradiction(value, dialect.error, isProven ? fields : undefined);
}

const isClear = (contradiction: Contradiction | undefined): boolean =>
  contradiction === 'error' || contradiction === 'status';

/** Returns the id of a new record that is outside the body's record. */
function idBeside(reading: Reading): string | undefined {
  const { status, headers, body } = reading.answer;
  if (headers.location !== undefined) {
    // With a 200, the header has no meaning (RFC 9110, section 10.2.2).
    return idAtEnd(headers.location, reading, status === 200);
  }
  const isBare = typeof body === 'number' || typeof body === 'string';
  if (status === 201 && isBare) return String(body);
  const record = isJsonObject(body) ? body : {};
  for (const { rel, href } of readLinks({ record, header: headers.link })) {
    if (rel === 'self') return idAtEnd(href, reading);
  }
  return undefined;
}

/**
 * Reads the id at the end of a new record's address, as in `/items/5` or OData's `/items(5)`.
 * Returns `undefined` for the address of another resource, and for the monitor of a 202.
 *
 * @param isStrict whether the address must be below the operation's path.
 */
function idAtEnd(address: string, { answer, path }: Reading, isStrict = false): string | undefined {
  const [, place = '', id] = /^([^?#]*)[/(](-?\d+)\)?\/*(?:[?#]|$)/.exec(address) ?? [];
  // Percent-encoding has either letter case.
  const isNew = place.toLowerCase().endsWith(path().toLowerCase());
  const isNamedOther = /\/(forms|cases|rules|errors?)(\/|$)/.test(place);
  const isOther = isStrict || answer.status === 202 || isNamedOther;
  return isNew || !isOther ? id : undefined;
}
