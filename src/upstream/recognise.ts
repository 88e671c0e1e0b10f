import { isJsonObject, type Json, type JsonObject, pickArray, valueAt } from '../core/json.ts';
import { findId, findItems, hasFieldOf, linksOf, parametersIn, valuesOfSequence } from './decoders.ts';
import type { Dialect } from './dialect.ts';
import { type Contradiction, findContradiction, isCompanion } from './error-body.ts';
import { type Answer, type DialectNames, type Mismatch, type Promised, UnrecognisedError } from './operation.ts';
import { isInt64 } from './path.ts';

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
 * @returns the response. Its `body` is the record itself, also where that came in an envelope, and
 *   its `id` is the one of a new record.
 * @throws {UnrecognisedError} for any other response.
 */
export function recognise(reading: Reading, askedId: string | undefined): Answer {
  const recognised = RECOGNISERS[reading.promised.is](reading);
  if (askedId === undefined) return recognised;
  const statedId = examine(recognised.body, reading).id;
  if (statedId !== undefined && statedId !== askedId) throw new UnrecognisedError('other-id');
  return recognised;
}

/** Says what was looked for in a response, and which members of the dialect describe it. */
export function describeMismatch(
  { called, id, members, formId, is }: Promised<never>,
  why: Mismatch,
  dialect: Dialect,
): string {
  const names = [...(id ? [id] : []), ...members, ...(is === 'list' ? [] : ['envelope' as const])];
  const places = names.map((member) => `${NAMES[member](dialect).join(', ')} (${member})`);
  if (formId && is !== 'list') places.push('the fields of the form');
  const looked = `Looked for ${places.join('; ')}; the dialect’s members in brackets set these names.`;
  return `The response should be ${called}, and ${WORDS[why]}. ${looked}`;
}

const WORDS = {
  absent: 'it is not recognised as that',
  refused: 'it describes an error (error.code, error.message)',
  ambiguous: 'it may describe an error (error.code, error.message) as well as a success',
  'other-id': 'it has another id than the requested one',
  'not-int64': 'its id is no integer of 64 bits',
  misplaced: 'it has the fields of the form at another place',
  empty: 'it has no body',
  page: 'it is an HTML page',
  'not-json': 'it is no JSON that can be read',
} as const satisfies Record<Mismatch, string>;

/** The names that the dialect has for its members. */
const NAMES = {
  envelope: ({ envelope }) => envelope,
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

const RECOGNISERS = {
  list: recogniseList,
  record: recogniseRecord,
  created: recogniseCreated,
  outputs: recogniseOutputs,
  done: recogniseDone,
} as const satisfies Record<Promised<never>['is'], (reading: Reading) => Answer>;

/** A row proves a list, also beside an error. Without rows, the array itself proves it. */
function recogniseList({ answer, promised, dialect }: Reading): Answer {
  const { body, fields } = answer;
  const row = findItems(body, dialect.list.items, dialect)?.[0];
  const ids = promised.id ? NAMES[promised.id](dialect) : [];
  const isRow = isJsonObject(row) ? findId(row, ids, fields) !== undefined : Array.isArray(row);
  if (isRow || !isClear(findContradiction(body, dialect.error))) return answer;
  throw new UnrecognisedError('refused');
}

function recogniseRecord(reading: Reading): Answer {
  const { answer, dialect } = reading;
  const { body, fields } = answer;
  const own = examine(body, reading);
  if (own.hasContent) return answer;

  const contradiction = findContradiction(body, dialect.error, fields);
  const isRefused = isClear(contradiction);
  const inner = findInner(reading, isRecord);
  if (own.isNamed && !isRefused) return answer;
  if (own.id !== undefined && !isBetter(inner, fields) && !isOfError(own, contradiction, fields)) {
    return answer;
  }
  if (inner && (!isRefused || isCertain(inner))) return { ...answer, body: inner.value };
  const unnamed = findUnnamed(reading, own, contradiction);
  if (unnamed) return { ...answer, body: unnamed.value };
  throw new UnrecognisedError(isRefused ? 'refused' : 'absent');
}

/** Whether an id, which has nothing else of a record beside it, may be the one that an error is about. */
function isOfError(own: Evidence, contradiction: Contradiction | undefined, fields: Answer['fields']): boolean {
  if (contradiction === 'code') return !own.hasOthers;
  return contradiction === 'flag' && fields !== undefined;
}

/** Finds a record without any member that the dialect names. */
function findUnnamed(reading: Reading, own: Evidence, contradiction: Contradiction | undefined): Evidence | undefined {
  const { answer, promised, dialect } = reading;
  if (contradiction === 'code') return undefined;
  // Where the fields of the form are unknown, any other member may be one.
  const isFlat = promised.formId !== undefined && answer.fields === undefined;
  if (isFlat && own.hasOthers) return own;
  if (isClear(contradiction)) return undefined;
  if (isFlat) return findInner(reading, ({ hasOthers }) => hasOthers);
  return promised.takesOnlyArray && parametersIn(answer.body, dialect) ? own : undefined;
}

/** Looks for the id in the body, in an envelope, in `Location`, in a bare value and in a self link. */
function recogniseCreated(reading: Reading): Answer {
  const { answer, promised, dialect } = reading;
  const own = examine(answer.body, reading);
  const inner = findInner(reading, isRecord);
  const isOwn = own.hasContent || (own.id !== undefined && !isBetter(inner, answer.fields));
  const record = isOwn ? own : (inner ?? own);

  const names = promised.id ? NAMES[promised.id](dialect) : [];
  const listed = isJsonObject(record.value) ? findId(record.value, names) : undefined;
  const ids = [record.id, own.id, inner?.id, ...idsBeside(reading), listed];
  const known = ids.filter((id) => id !== undefined);
  checkContradiction(reading, own, known.length > 0 || own.hasContent || inner?.isNamed === true);

  const id = known.find(isInt64);
  if (id === undefined) throw new UnrecognisedError(known.length > 0 ? 'not-int64' : 'absent');
  const body = typeof record.value === 'object' ? record.value : undefined;
  return { ...answer, body: body ?? undefined, id };
}

/** A 2xx status confirms what has no promised body, unless the body contradicts it. */
function recogniseDone(reading: Reading): Answer {
  const { answer } = reading;
  if (answer.body === undefined) return answer;
  const own = examine(answer.body, reading);
  const inner = findInner(reading, isRecord);
  const isOwn = own.id !== undefined || own.hasContent;
  checkContradiction(reading, own, isOwn || (inner !== undefined && isCertain(inner)));
  return isOwn || inner === undefined ? answer : { ...answer, body: inner.value };
}

/**
 * Refuses a change whose response contradicts its status.
 *
 * @param isFound whether the response has a part of the record as well.
 */
function checkContradiction({ answer, dialect }: Reading, own: Evidence, isFound: boolean): void {
  const contradiction = findContradiction(answer.body, dialect.error, answer.fields);
  if (contradiction === undefined) return;
  // `status` and `success` may be the record's own beside its values.
  const isCopy = own.hasContent || (own.id !== undefined && own.hasOthers);
  if (contradiction !== 'code' && isCopy) return;
  if (contradiction === 'doubt' && own.id !== undefined) return;
  const mayBeDone = isFound || contradiction === 'doubt' || (contradiction === 'flag' && own.hasOthers);
  throw new UnrecognisedError(mayBeDone ? 'ambiguous' : 'refused');
}

/** Returns the outputs of a rule as the body; a rule may have no outputs. */
function recogniseOutputs({ answer, dialect }: Reading): Answer {
  const { body } = answer;
  const { rule, error } = dialect;
  const outputs = outputsIn(body, dialect);
  const isNamed = (item: Json) => isJsonObject(item) && valueAt(item, rule.parameterName) !== undefined;
  const isList = Array.isArray(body) && body.some(isNamed);

  const contradiction = isList ? undefined : findContradiction(body, error);
  if (contradiction !== undefined) {
    const isRefused = isClear(contradiction) && !(isJsonObject(body) && pickArray(body, rule.outputs));
    throw new UnrecognisedError(isRefused ? 'refused' : 'ambiguous');
  }
  if (outputs === undefined) throw new UnrecognisedError('absent');
  return { ...answer, body: outputs };
}

function outputsIn(body: Json | undefined, dialect: Dialect): readonly Json[] | undefined {
  if (body === undefined || body === null) return [];
  if (!isJsonObject(body)) return Array.isArray(body) ? body : undefined;
  const { outputs, parameters } = dialect.rule;
  const named = pickArray(body, outputs);
  if (named) return named;
  for (const name of dialect.envelope) {
    const inner = valueAt(body, name);
    const items = isJsonObject(inner) ? pickArray(inner, outputs) : inner;
    if (Array.isArray(items)) return items;
  }

  // Some platforms repeat the inputs.
  const isInput = (name: string) => parameters.includes(name) && !outputs.includes(name);
  const members = Object.entries(body).filter(([name, value]) => value !== null && !isInput(name));
  if (members.every(([name]) => isCompanion(name, dialect))) return [];
  return findItems(Object.fromEntries(members), [], dialect);
}

/** What proves that a value is the promised record. */
interface Evidence {
  readonly value: Json | undefined;
  readonly id?: string | undefined;
  /** Whether a member that the dialect names proves it. */
  readonly isNamed: boolean;
  /** Whether it has values, under that member or as its own. */
  readonly hasContent: boolean;
  /** Whether it has members that belong to no error, where the fields of the form are unknown. */
  readonly hasOthers: boolean;
}

const NOTHING = { isNamed: false, hasContent: false, hasOthers: false } as const;

function examine(value: Json | undefined, { promised, answer, dialect }: Reading): Evidence {
  const { fields } = answer;
  const hasFields = promised.formId !== undefined;
  if (Array.isArray(value) && hasFields && value.length > 0) {
    const values = valuesOfSequence(value, dialect.instance);
    const hasContent = values !== undefined && (fields === undefined || hasFieldOf(values, fields));
    return { ...NOTHING, value, hasContent };
  }
  if (!isJsonObject(value)) return { ...NOTHING, value };

  const held = promised.members
    .flatMap((member) => NAMES[member](dialect))
    .map((name) => valueAt(value, name))
    .find((member) => isContainer(member) && (!hasFields || isReadable(member, dialect)));
  const isNamed = held !== undefined;
  const isFilled = isContainer(held) && Object.keys(held).length > 0;
  const hasContent = isFilled || (hasFields && fields !== undefined && hasFieldOf(value, fields));
  const ids = promised.id ? NAMES[promised.id](dialect) : [];
  const isOther = (name: string) =>
    !ids.includes(name) && !dialect.envelope.includes(name) && !isCompanion(name, dialect);
  const hasOthers = !hasContent && fields === undefined && Object.keys(value).some(isOther);
  return { value, id: findId(value, ids, fields), isNamed, hasContent, hasOthers };
}

const isContainer = (value: Json | undefined): value is JsonObject | readonly Json[] =>
  typeof value === 'object' && value !== null;

/** Whether the values of an instance can be read from a member. */
const isReadable = (member: Json, { instance }: Dialect): boolean =>
  !Array.isArray(member) || valuesOfSequence(member, instance) !== undefined;

function findInner(reading: Reading, isFound: (evidence: Evidence) => boolean) {
  const { body } = reading.answer;
  if (!isJsonObject(body)) return undefined;
  for (const name of reading.dialect.envelope) {
    const value = valueAt(body, name);
    const evidence = examine(value, reading);
    if (isFound(evidence)) return evidence;
  }
  return undefined;
}

const isRecord = ({ id, isNamed, hasContent }: Evidence): boolean => id !== undefined || isNamed || hasContent;

/** JSend has messages by field under `data`: beside an error, a field does not prove a record. */
const isCertain = ({ id, isNamed }: Evidence): boolean => id !== undefined || isNamed;

/** Whether an envelope has fields of the form, which the object around it lacks. */
const isBetter = (inner: Evidence | undefined, fields: Answer['fields']): boolean =>
  fields !== undefined && inner?.hasContent === true;

const isClear = (contradiction: Contradiction | undefined): boolean =>
  contradiction === 'code' || contradiction === 'flag';

/** The ids of a new record that stand beside its body. */
function idsBeside({ answer, dialect }: Reading): readonly string[] {
  const { status, headers, body } = answer;
  if (headers.location !== undefined) return idAtEnd(headers.location);
  if (status === 201 && (typeof body === 'number' || typeof body === 'string')) return [String(body)];
  const record: JsonObject = isJsonObject(body) ? body : {};
  const links = linksOf({ record, header: headers.link }, dialect);
  return links.filter(({ rel }) => rel === 'self').flatMap(({ href }) => idAtEnd(href));
}

/** Reads the id at the end of an address. */
function idAtEnd(address: string): readonly string[] {
  const segment = address.split(/[?#]/, 1)[0]?.replace(/\/+$/, '').split('/').at(-1);
  return segment && /^-?\d+$/.test(segment) ? [segment] : [];
}
