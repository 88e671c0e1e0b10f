import { isJsonObject, type Json, type JsonObject, pick, valueAt } from '../core/json.ts';
import { findId, findItems, hasFieldOf, readLinks } from './decoders.ts';
import type { Dialect } from './dialect.ts';
import { type Contradiction, findContradiction, isCompanion, kindOfErrorMember } from './error-body.ts';
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
}

/**
 * Decides whether a 2xx response is what its operation promises, by the data in the operation's
 * record. Nothing else decides that.
 *
 * @param askedId the id of the requested record, where the response may repeat it.
 * @returns the response. Its `body` is the record itself, also where that came in an envelope.
 * @throws {UnrecognisedError} for any other response.
 */
export function recognise(reading: Reading, askedId: string | undefined): Answer {
  const recognised = RECOGNISERS[reading.promised.is](reading);
  const id = askedId === undefined ? undefined : idIn(recognised.body, reading);
  if (id !== undefined && id !== askedId) throw new UnrecognisedError('other-id');
  return recognised;
}

const RECOGNISERS = {
  list: recogniseList,
  record: recogniseRecord,
  created: recogniseCreated,
  done: recogniseDone,
} as const satisfies Record<Promised<never>['is'], (reading: Reading) => Answer>;

/** Says what was looked for in a response, and which members of the dialect describe it. */
export function describeMismatch(
  { called, id, members, formId, is }: Promised<never>,
  why: Mismatch,
  dialect: Dialect,
): string {
  const named = id === undefined ? members : [id, ...members];
  const places = named.map((place) => `${NAMES[place](dialect).join(', ')} (${place})`);
  if (is !== 'list') places.push(`${dialect.envelope.join(', ')} (envelope)`);
  if (formId) places.push('the fields of the form');
  const looked = `Looked for ${places.join('; ')}; the dialect’s members in brackets set these names.`;
  return `The response should be ${called}, and ${MISMATCHES[why]}. ${looked}`;
}

const NAMES = {
  'case.id': (dialect) => dialect.case.id,
  'form.fields': ({ form }) => form.fields,
  'form.id': ({ form }) => form.id,
  'instance.id': ({ instance }) => instance.id,
  'instance.values': ({ instance }) => instance.values,
  'list.embedded': ({ list }) => list.embedded,
  'list.items': ({ list }) => list.items,
  'rule.outputs': ({ rule }) => rule.outputs,
  'rule.parameters': ({ rule }) => rule.parameters,
} as const satisfies Record<DialectNames, (dialect: Dialect) => readonly string[]>;

/** Reads the id of a value that is an object. */
function idIn(value: Json | undefined, { promised, answer, dialect }: Reading): string | undefined {
  if (promised.id === undefined || !isJsonObject(value)) return undefined;
  return findId(value, NAMES[promised.id](dialect), answer.fields);
}

/** A row proves a list, also beside an error. Without rows, the array proves it. */
function recogniseList(reading: Reading): Answer {
  const { answer, dialect } = reading;
  const row = findItems(answer.body, dialect.list.items, dialect)?.[0];
  const isRow = Array.isArray(row) || idIn(row, reading) !== undefined;
  if (!isRow && isClear(contradictionOf(reading))) {
    throw new UnrecognisedError('refused');
  }
  return answer;
}

function recogniseRecord(reading: Reading): Answer {
  const { answer } = reading;
  const own = examine(answer.body, reading);
  if (own.hasContent && own.likeness !== 'error') return answer;

  const contradiction = contradictionOf(reading);
  const inner = findInner(reading, isRecord);
  if (isOwn(own, inner, answer) && !isOfError(own, contradiction, answer)) return answer;
  const isRefused = isClear(contradiction);
  if (inner && (isCertain(inner) || !isRefused)) return { ...answer, body: inner.value };

  const unnamed = findUnnamed(reading, own, contradiction);
  if (unnamed) return { ...answer, body: unnamed.value };
  throw new UnrecognisedError(isRefused ? 'refused' : 'absent');
}

/** Finds a record without any member that the dialect names. */
function findUnnamed(reading: Reading, own: Evidence, contradiction: Contradiction | undefined) {
  const { promised } = reading;
  // Where the fields of the form are unknown, any member may be one.
  if (promised.formId && own.hasOthers) return contradiction === 'code' ? undefined : own;
  if (isClear(contradiction)) return undefined;
  if (promised.formId) return findInner(reading, ({ hasOthers }) => hasOthers);
  // The array of a rule's parameters may have any name, so that its decoder decides.
  return promised.id ? undefined : own;
}

/** Looks for the id in the body, in an envelope, in `Location`, in a bare value and in a self link. */
function recogniseCreated(reading: Reading): Answer {
  const { answer } = reading;
  const own = examine(answer.body, reading);
  const inner = findInner(reading, isRecord);
  const record = isOwn(own, inner, answer) ? own : (inner ?? own);
  // A field of the form may be called like the id, and be it.
  const field = idIn(record.value, { ...reading, answer: { ...answer, fields: undefined } });
  const ids = [record.id, own.id, inner?.id, ...idsBeside(reading), field].filter((id) => id !== undefined);
  checkContradiction(reading, ids.length > 0 || inner?.isNamed === true);

  const id = ids.find(isInt64);
  if (id === undefined) throw new UnrecognisedError(ids.length > 0 ? 'not-int64' : 'absent');
  const body = isJsonObject(record.value) || Array.isArray(record.value) ? record.value : undefined;
  return { ...answer, body, id, hasContent: record.hasContent || record.hasOthers };
}

/** A 2xx status confirms a change without a promised body, unless the body contradicts it. */
function recogniseDone(reading: Reading): Answer {
  const { answer } = reading;
  const own = examine(answer.body, reading);
  const inner = findInner(reading, isRecord);
  checkContradiction(reading, inner !== undefined && isCertain(inner));
  if (!isRecord(own) && !inner && hasInnerError(reading)) throw new UnrecognisedError('ambiguous');
  return inner === undefined || isRecord(own) ? answer : { ...answer, body: inner.value };
}

/**
 * Refuses a change whose response contradicts its status.
 *
 * @param isFound whether a part of the record stands elsewhere than in the body itself.
 */
function checkContradiction(reading: Reading, isFound: boolean): void {
  const contradiction = contradictionOf(reading);
  if (contradiction === undefined) return;
  const { body } = reading.answer;
  const whole = examine(body, reading);
  // A copy of the record may come in an array.
  const own = Array.isArray(body) && !whole.hasContent ? examine(body.find(isJsonObject), reading) : whole;

  // `status`, `success` and `code` may be the record's own.
  const hasOwn = own.hasOthers || contradiction === 'doubt';
  const isContent = own.hasContent && !isDoubtful(own, contradiction);
  const isCopy = isContent || (own.id !== undefined && hasOwn);
  if (contradiction !== 'code' && isCopy) return;
  const mayBeDone = isFound || isRecord(own) || (contradiction !== 'code' && hasOwn);
  throw new UnrecognisedError(mayBeDone ? 'ambiguous' : 'refused');
}

/** Whether an error, such as one with messages by field, may have the content as well. */
const isDoubtful = ({ likeness }: Evidence, contradiction: Contradiction): boolean =>
  likeness !== undefined && isClear(contradiction);

/** The proofs that a value is the promised record. */
interface Evidence {
  readonly value: Json | undefined;
  readonly id?: string | undefined;
  /** Whether a member that the dialect names proves it. */
  readonly isNamed: boolean;
  /** Whether it has values, under that member or as its own. */
  readonly hasContent: boolean;
  /** What its content may be beside an error where it has no id: the error's own members, or messages. */
  readonly likeness?: 'error' | 'message' | undefined;
  /** Whether it has members that belong to no error, where the fields of the form are unknown. */
  readonly hasOthers: boolean;
}

function examine(value: Json | undefined, reading: Reading): Evidence {
  const { promised, answer, dialect } = reading;
  const { fields } = answer;
  const entryName = promised.formId ? dialect.instance.entryName : dialect.rule.parameterName;
  const nameOf = (entry: Json) => (isJsonObject(entry) ? entry[entryName] : undefined);
  const isEntry = (entry: Json) => typeof nameOf(entry) === 'string';
  if (!isJsonObject(value)) {
    const isField = (entry: Json) => isEntry(entry) && (!fields || fields.has(String(nameOf(entry))));
    const hasContent = Array.isArray(value) && value.some(isField);
    return { value, isNamed: hasContent, hasContent, hasOthers: false };
  }

  const id = idIn(value, reading);
  const held = heldIn(value, reading);
  const isOdd = promised.formId && Array.isArray(held) && held.length > 0 && !held.some(isEntry);
  const isNamed = typeof held === 'object' && held !== null && !isOdd;
  const isFilled = isNamed && Object.keys(held).length > 0;
  const hasContent = isFilled || (fields !== undefined && hasFieldOf(value, fields));
  const isAlone = id === undefined && hasContent;
  const likeness = isAlone ? likenessOf(value, isFilled, reading) : undefined;
  const hasOthers = !hasContent && fields === undefined && Object.keys(value).some((name) => isOther(name, reading));
  return { value, id, isNamed, hasContent, likeness, hasOthers };
}

function likenessOf(value: JsonObject, isFilled: boolean, { answer, dialect }: Reading): Evidence['likeness'] {
  if (isFilled) return 'message';
  const names = Object.keys(value).filter((name) => answer.fields?.has(name));
  const kinds = names.map((name) => kindOfErrorMember(name, dialect));
  if (kinds.includes(undefined)) return undefined;
  return kinds.includes('message') ? 'message' : 'error';
}

/** The first member that proves a record. */
function heldIn(value: JsonObject, { promised, dialect }: Reading): Json | undefined {
  for (const member of promised.members) {
    const held = pick(value, NAMES[member](dialect));
    if (held !== undefined) return held;
  }
  return undefined;
}

/** Whether a member of this name may be a field of the form. */
function isOther(name: string, { promised, dialect }: Reading): boolean {
  const ids = promised.id ? NAMES[promised.id](dialect) : [];
  return ![...ids, ...dialect.envelope].includes(name) && !isCompanion(name, dialect);
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

/** Whether an error, and nothing of a record, is in an envelope. */
function hasInnerError(reading: Reading): boolean {
  const { answer, dialect } = reading;
  const isError = ({ value, hasOthers }: Evidence) =>
    !hasOthers && isClear(findContradiction(value, dialect.error, answer.fields));
  return findInner(reading, isError) !== undefined;
}

/** JSend has messages by field under `data`: beside an error, a field does not prove a record. */
const isCertain = ({ id, isNamed }: Evidence): boolean => id !== undefined || isNamed;

const isRecord = (evidence: Evidence): boolean => isCertain(evidence) || evidence.hasContent;

/** Whether a record is the body itself, and not in an envelope that has the fields of the form. */
const isOwn = (own: Evidence, inner: Evidence | undefined, { fields }: Answer): boolean =>
  own.hasContent || (isCertain(own) && !(fields && inner?.hasContent));

/** Whether an id, without anything else of a record, may be the one that an error is about. */
function isOfError(own: Evidence, contradiction: Contradiction | undefined, { fields }: Answer) {
  return contradiction === 'code' ? !own.hasOthers : contradiction === 'flag' && fields !== undefined;
}

/** A 2xx body of the type of RFC 9457 is an error, whatever its members. */
function contradictionOf({ answer, dialect }: Reading): Contradiction | undefined {
  const { body, headers, fields } = answer;
  const isProblem = /\bproblem\+json\b/i.test(headers['content-type'] ?? '');
  return isProblem ? 'code' : findContradiction(body, dialect.error, fields);
}

const isClear = (contradiction: Contradiction | undefined): boolean =>
  contradiction === 'code' || contradiction === 'flag';

/** The ids of a new record that stand beside its body. */
function idsBeside({ answer, dialect }: Reading): readonly (string | undefined)[] {
  const { status, headers, body } = answer;
  if (headers.location !== undefined) return [idAtEnd(headers.location)];
  if (status === 201 && (typeof body === 'number' || typeof body === 'string')) return [String(body)];
  const record = isJsonObject(body) ? body : {};
  for (const { rel, href } of readLinks({ record, header: headers.link }, dialect)) {
    if (rel === 'self') return [idAtEnd(href)];
  }
  return [];
}

/** Reads the id at the end of an address, as in `/items/5` or OData's `/items(5)`. */
const idAtEnd = (address: string): string | undefined => /[/(](-?\d+)\)?\/*(?:[?#]|$)/.exec(address)?.[1];
