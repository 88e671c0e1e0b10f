import { readBoolean } from '../core/boolean.ts';
import { orUndefined, UpstreamError } from '../core/errors.ts';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  pick,
  pickArray,
  pickObject,
  pickText,
  required,
  requiredObject,
  valueAt,
} from '../core/json.ts';
import type { Dialect } from './dialect.ts';
import { ERROR_NAME, isCompanion, namesError } from './error-body.ts';
import { isInt64 } from './path.ts';
import { type Answer, UnrecognisedError } from './promised.ts';
import type {
  CaseRecord,
  FieldKind,
  FieldRecord,
  FormRecord,
  InstanceContent,
  InstanceRecord,
  LinkRecord,
  PageRecord,
  ParameterRecord,
  RawLinks,
  ResponseHeaders,
  RuleKey,
  RuleRecord,
} from './records.ts';

const PAGING: ReadonlySet<string> = new Set(['next', 'prev', 'previous', 'first', 'last']);

/** The members that contain a record's links: a list, or an object by `rel`. */
export const LINK_MEMBERS: readonly string[] = ['links', '_links'];

/** The types of entries that group fields and are not fields. */
const SECTIONS: readonly string[] = ['section', 'fieldset', 'panel', 'page', 'tab', 'group'];

/** The default names of the total. On some platforms `count` is the number of items of the page. */
export const TOTALS: readonly string[] = ['total', 'totalCount', 'totalElements', 'count'];

/**
 * Decodes one page of a list with `decodeItem`. If it throws for an item, the page contains the
 * error at that position.
 *
 * @throws {UnrecognisedError} for a body without a list. If every item fails, throws the first
 *   error.
 */
export function decodeList<T>(
  operation: string,
  { body, headers }: Pick<Answer, 'body' | 'headers'>,
  dialect: Dialect,
  decodeItem: (item: Json) => T,
): PageRecord<T | Error> {
  const object = isJsonObject(body) ? body : {};
  const paging = pagingOf(object, dialect, headers);
  const listed = findItems(body, dialect.list.items, dialect);
  const isEmpty = body === undefined || paging.total === 0 || hasNull(object, dialect.list);
  const items = listed ?? (isEmpty ? [] : undefined);
  if (items === undefined) throw new UnrecognisedError('absent');
  const decoded = items.map((item) => decodeOrError(operation, item, decodeItem));
  const [first] = decoded;
  if (first instanceof UpstreamError && decoded.every((item) => item instanceof Error))
    throw first.cause ?? first;
  return { items: decoded, ...paging };
}

function decodeOrError<T>(
  operation: string,
  item: Json,
  decodeItem: (item: Json) => T,
): T | UpstreamError {
  try {
    return decodeItem(item);
  } catch (cause) {
    return new UpstreamError('malformed', { operation, isFinal: true, cause });
  }
}

/** Returns whether a member for the list is `null`. */
const hasNull = (object: JsonObject, { items, embedded }: Dialect['list']): boolean =>
  [...items, ...embedded].some((name) => valueAt(object, name) === null);

/**
 * Finds a list: an array, a member under one of the names (also embedded), or an object's only
 * array apart from links and errors.
 */
export function findItems(
  body: Json | undefined,
  names: readonly string[],
  dialect: Dialect,
): readonly Json[] | undefined {
  if (Array.isArray(body)) return body;
  if (!isJsonObject(body)) return undefined;
  const named = pickArray(body, names);
  if (named !== undefined) return named;

  const embedded = pickObject(body, dialect.list.embedded);
  if (embedded !== undefined) return findItems(embedded, names, dialect);
  const [only, ...others] = Object.entries(body).flatMap(([name, value]) =>
    Array.isArray(value) && !LINK_MEMBERS.includes(name) && !ERROR_NAME.test(name)
      ? [value as readonly Json[]]
      : [],
  );
  return others.length === 0 ? only : undefined;
}

function pagingOf(object: JsonObject, dialect: Dialect, headers: ResponseHeaders) {
  const { list } = dialect;
  const names = list.total ?? TOTALS;
  const page = pickObject(object, list.page) ?? {};
  // Strapi writes `{"meta": {"pagination": {"total": 3}}}`.
  const holders = [object, page, pickObject(page, list.page) ?? {}];
  const counted = countIn(holders, names);
  return {
    total: counted?.count ?? totalIn(headers),
    isCount: list.total === undefined && counted?.name === 'count',
    hasNext: hasNextIn(object, headers),
  };
}

/**
 * Returns whether links announce a next page. `undefined` without links to other pages, because the
 * platform may not link its pages, and if a link in an unknown form may lead to the next page.
 */
function hasNextIn(object: JsonObject, headers: ResponseHeaders): boolean | undefined {
  let isLinked = false;
  let mayHaveNext = false;
  for (const { rel } of readLinks({ record: object, header: headers.link }, isPaging)) {
    if (rel.toLowerCase() === 'next') return true;
    if (isPaging(rel)) isLinked = true;
    // The header may have relations in other forms as well.
    if (NEXT.test(rel)) mayHaveNext = true;
  }
  if (!isLinked || mayHaveNext) return undefined;
  return isTarget(valueAt(object, 'next')) || mayLinkNext(object) ? undefined : false;
}

/** Returns whether a link relation leads to a page of the list. Relations ignore case. */
const isPaging = (rel: string): boolean => PAGING.has(rel.toLowerCase());

/** Finds relations that may mean `next`, such as a URI or `nextPage`. */
const NEXT = /next/i;

/** Returns whether a link in the body may lead to the next page, by its relation. */
function mayLinkNext(object: JsonObject): boolean {
  for (const member of LINK_MEMBERS) {
    const links = valueAt(object, member);
    const listed = Array.isArray(links) ? links.filter(isJsonObject) : NONE;
    const named = isJsonObject(links) ? Object.entries(links) : NONE;
    const isListed = listed.some((link) => NEXT.test(String(link['rel'])) && isTarget(link));
    if (isListed || named.some(([rel, link]) => NEXT.test(rel) && isTarget(link))) return true;
  }
  return false;
}

/** Returns whether a value is an address, or an object with one. */
function isTarget(value: Json | undefined): boolean {
  if (typeof value === 'string') return value !== '';
  return isJsonObject(value) && pickText(value, ['href', 'url', 'uri']) !== undefined;
}

/** The highest `Int` of GraphQL. */
const MAX_TOTAL = 2 ** 31 - 1;

/** Returns a whole number, or its digits, as a total. `undefined` for any other value. */
function toTotal(value: Json | undefined): number | undefined {
  const isDigits = typeof value === 'string' && /^\d+$/.test(value);
  const total = isDigits ? Number(value) : value;
  const isTotal =
    typeof total === 'number' && Number.isInteger(total) && total >= 0 && total <= MAX_TOTAL;
  return isTotal ? total : undefined;
}

/** Finds the first member that is a total. */
function countIn(holders: readonly JsonObject[], names: readonly string[]) {
  for (const holder of holders) {
    for (const name of names) {
      const count = toTotal(valueAt(holder, name));
      if (count !== undefined) return { name, count };
    }
  }
  return undefined;
}

/** Reads the total from `X-Total-Count: 120`, or from `Content-Range: items 0-49/120`. */
function totalIn({
  'x-total-count': count,
  'content-range': range,
}: ResponseHeaders): number | undefined {
  const digits = /^\s*(\d+)\s*$/.exec(count ?? '') ?? /\/\s*(\d+)\s*$/.exec(range ?? '');
  return toTotal(digits?.[1]);
}

/** Decodes a form's definition. `knownId` is used if the record does not contain its id. */
export function decodeForm(
  body: Json | undefined,
  dialect: Dialect,
  knownId?: string,
  linkHeader?: string,
): FormRecord {
  const definition = requiredObject(body, 'form');
  const { form } = dialect;
  const fields = pickArray(definition, form.fields);
  return {
    kind: 'Form',
    formId: knownId ?? required(pickText(definition, form.id), 'form id'),
    name: pickText(definition, form.name),
    description: pickText(definition, form.description),
    version: pickText(definition, form.version),
    isSummary: fields === undefined,
    fields: fields && decodeFields(fields, form),
    linkHeader,
    definition,
  };
}

/** Decodes a form in a list. A summary has no fields, or an empty list of fields. */
export function decodeListedForm(item: Json, dialect: Dialect): FormRecord {
  const form = decodeForm(item, dialect);
  return form.fields?.length === 0 ? { ...form, fields: undefined, isSummary: true } : form;
}

/** Decodes the fields of a form, including the fields in sections. */
function decodeFields(
  entries: readonly Json[],
  form: Dialect['form'],
  records: FieldRecord[] = [],
): readonly FieldRecord[] {
  for (const entry of entries) {
    if (!isJsonObject(entry)) continue;
    const inner = pickArray(entry, form.fields);
    if (inner?.some(isJsonObject) && isSection(entry, form)) {
      decodeFields(inner, form, records);
      continue;
    }
    const record = decodeField(entry, form);
    if (record) records.push(record);
  }
  return records;
}

function isSection(entry: JsonObject, form: Dialect['form']): boolean {
  const type = pickText(entry, form.fieldType);
  return type === undefined || SECTIONS.includes(type.toLowerCase());
}

function decodeField(field: JsonObject, form: Dialect['form']): FieldRecord | undefined {
  const name = pickText(field, form.fieldName);
  if (name === undefined) return undefined;
  // A `null` option means no choice.
  const options = pickArray(field, form.fieldOptions)?.filter((option) => option !== null);
  return {
    name,
    label: pickText(field, form.fieldLabel),
    type: pickText(field, form.fieldType),
    required: readBoolean(pick(field, form.fieldRequired)),
    isMultiple: readBoolean(pick(field, form.fieldMultiple)),
    options,
    reference: decodeTarget(field, form),
    definition: field,
  };
}

/**
 * Reads the form that a field refers to. Some platforms write a list of one, an empty string for no
 * reference, or a choice's options under the same name.
 */
function decodeTarget(field: JsonObject, form: Dialect['form']): string | undefined {
  const value = pick(field, form.fieldReference);
  const target = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (target === '' || (typeof target !== 'string' && typeof target !== 'number')) return undefined;
  return kindOf(pickText(field, form.fieldType), form) === 'choice' ? undefined : String(target);
}

/**
 * Returns the kind of a field's values for the platform's type name. `undefined` for an unknown
 * type.
 */
export function kindOf(
  type: string | undefined,
  { types }: Dialect['form'],
): FieldKind | undefined {
  if (type === undefined) return undefined;
  const word = type.toLowerCase();
  const kinds = Object.keys(types) as FieldKind[];
  return kinds.find((kind) => types[kind].includes(word));
}

/**
 * Decodes an instance's content: `{idInstance, values: {…}}`,
 * `{idInstance, fields: [{name, value}]}`, a flat object, or a sequence `[{name, value}]`.
 *
 * @param fields the names of the form's fields, if known.
 * @throws {Error} for any other value.
 */
export function decodeContent(
  body: Json | undefined,
  dialect: Dialect,
  linkHeader?: string,
  fields?: Answer['fields'],
): InstanceContent {
  if (Array.isArray(body)) {
    const values = required(valuesOfSequence(body), 'instance');
    return { values, fields, rawLinks: { record: {}, header: linkHeader } };
  }
  const record = requiredObject(body, 'instance');
  const values = valuesOf(record, dialect, fields);
  return { values, fields, rawLinks: { record, header: linkHeader } };
}

/**
 * Decodes the content of a single instance.
 *
 * @throws {Error} if its fields are at another position.
 */
export function decodeOne(
  body: Json | undefined,
  dialect: Dialect,
  linkHeader: string | undefined,
  fields: Answer['fields'],
): InstanceContent {
  const content = decodeContent(body, dialect, linkHeader, fields);
  checkPlaces([{ content }], fields);
  return content;
}

/** Decodes an instance in a list. @throws {Error} if it has no id, or an error and no fields. */
export function decodeListed(
  formId: string,
  item: Json,
  dialect: Dialect,
  fields?: Answer['fields'],
): InstanceRecord {
  const content = decodeContent(item, dialect, undefined, fields);
  const holder = isJsonObject(item) ? item : content.values;
  const names = dialect.instance.id;
  const found = findId(holder, names, fields) ?? findId(holder, names);
  const instanceId = required(found, 'instance id');
  if (!isInt64(instanceId)) throw new UnrecognisedError('not-int64');
  if (fields && !hasFieldOf(content.values, fields)) {
    if (namesError(item, dialect.error)) throw new UnrecognisedError('ambiguous');
  }
  return { kind: 'Instance', formId, instanceId, content };
}

/** Decodes the response to a creation: the id, and the content if present. */
export function decodeCreated(
  formId: string,
  { body, id, hasContent, fields }: Answer,
  dialect: Dialect,
): InstanceRecord {
  // Unreadable content does not make the creation unconfirmed.
  const content = hasContent
    ? orUndefined(() => decodeOne(body, dialect, undefined, fields))
    : undefined;
  return { kind: 'Instance', formId, instanceId: required(id, 'id of the new instance'), content };
}

/** Reads the id of a record. `undefined` if that member is a field of the form. */
export function findId(
  record: JsonObject,
  names: readonly string[],
  fields?: Answer['fields'],
): string | undefined {
  for (const name of names) {
    const value = valueAt(record, name);
    const isId = typeof value === 'string' || typeof value === 'number';
    if (isId) return fields?.has(name) ? undefined : String(value);
  }
  return undefined;
}

/**
 * Decodes the id of a reference: an id, `[id, name]`, or an object with the id or an envelope.
 * `undefined` if the reference is empty.
 *
 * @throws {UpstreamError} `malformed` for any other value, for example several ids.
 */
export function decodeReference(
  value: Json | undefined,
  field: string,
  dialect: Dialect,
): string | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  const [id, ...others] = decodeReferences(value, field, dialect);
  if (others.length === 0) return id;
  throw unreadableValue(
    field,
    'holds several references, and form.fieldMultiple of the dialect names no flag',
  );
}

/**
 * Decodes the ids of several references like `decodeReference`. A single reference becomes a list
 * of one.
 *
 * @throws {UpstreamError} `malformed` if a reference has no id.
 */
export function decodeReferences(
  value: Json | undefined,
  field: string,
  dialect: Dialect,
): readonly string[] {
  const names = [...dialect.instance.id, ...dialect.form.optionValue];
  const held =
    isJsonObject(value) && pick(value, names) === undefined ? unwrap(value, dialect) : value;
  const references = isNamedId(held) ? [held] : toItems(held);
  return references.map((reference) => {
    const named = isNamedId(reference) ? reference[0] : reference;
    const id = isJsonObject(named) ? pickText(named, names) : named;
    if (isIdLike(id)) return String(id);
    throw unreadableValue(
      field,
      'holds no id: see instance.id and form.optionValue of the dialect',
    );
  });
}

/** Returns the content of an envelope. Any other object is returned itself. */
export function unwrap(object: JsonObject, { envelope }: Dialect): Json | undefined {
  const name = envelope.find((one) => Object.hasOwn(object, one));
  return name === undefined ? object : object[name];
}

const isIdLike = (value: Json | undefined): boolean =>
  (typeof value === 'string' || typeof value === 'number') && isInt64(String(value));

/**
 * Returns whether a value is an id with the name of its record. Two ids would have the same type.
 */
const isNamedId = (value: Json | undefined): value is readonly [Json, string] =>
  Array.isArray(value) &&
  value.length === 2 &&
  isIdLike(value[0]) &&
  typeof value[1] === 'string' &&
  (typeof value[0] === 'number' || !isIdLike(value[1]));

/** Returns the non-empty values of a list field. A single value becomes a list of one. */
export function toItems(value: Json | undefined): readonly Json[] {
  if (value === undefined || isEmpty(value)) return [];
  return Array.isArray(value) ? value.filter((item) => !isEmpty(item)) : [value];
}

const isEmpty = (value: Json): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

/** Creates the error for a value that does not match its field. It does not quote the value. */
export const unreadableValue = (field: string, problem: string, isOncePerList = false) =>
  new UpstreamError('malformed', {
    operation: 'getFormIntance',
    advice: `The field ${JSON.stringify(field)} ${problem}.`,
    isOncePerList,
  });

/**
 * Returns the values of an instance by field.
 *
 * @throws {UnrecognisedError} if the member for values has another shape.
 */
function valuesOf(record: JsonObject, dialect: Dialect, fields: Answer['fields']): JsonObject {
  const { instance } = dialect;
  const held = pick(record, instance.values);
  const values = Array.isArray(held) ? valuesOfSequence(held) : held;
  if (isJsonObject(values)) {
    // A flat record may have a field with the same name.
    const isField = instance.values.some((name) => fields?.has(name) && record[name] === held);
    if (!isField || !fields || hasFieldOf(values, fields)) return values;
  }

  const others = new Set<string>([
    ...instance.id.filter((name) => Object.hasOwn(record, name) && !fields?.has(name)).slice(0, 1),
    'idForm',
    ...instance.values.filter((name) => record[name] === null),
    ...LINK_MEMBERS,
  ]);
  const flat = Object.fromEntries(Object.entries(record).filter(([name]) => !others.has(name)));
  const isFlat = held === undefined || !fields || hasFieldOf(flat, fields);
  if (!isFlat) throw new UnrecognisedError('misplaced');
  return flat;
}

/**
 * Checks that instances have their form's fields at the expected position. Instances without any
 * field are valid, for example drafts.
 *
 * @throws {UnrecognisedError} if fields are only found at a deeper position.
 */
export function checkPlaces(
  instances: readonly (Pick<InstanceRecord, 'content'> | Error)[],
  fields: Answer['fields'],
): void {
  if (fields === undefined) return;
  const members: Json[] = [];
  for (const instance of instances) {
    const values = instance instanceof Error ? undefined : instance.content?.values;
    if (values === undefined) continue;
    if (hasFieldOf(values, fields)) return;
    members.push(...Object.values(values).slice(0, MAX_SEARCHED_MEMBERS - members.length));
  }
  const deeper = members.filter((member) => typeof member === 'object');
  const text = JSON.stringify(deeper).slice(0, MAX_SEARCHED);
  // The field is a member's name, or the value of an entry's name.
  const isWithin = (field: string) =>
    text.includes(`${JSON.stringify(field)}:`) || text.includes(`:${JSON.stringify(field)}`);
  if ([...fields].some(isWithin)) throw new UnrecognisedError('misplaced');
}

/** The highest number of members and characters that are searched for misplaced fields. */
const MAX_SEARCHED_MEMBERS = 100;
const MAX_SEARCHED = 10_000;

/** Returns whether an object has a member that is a field of the form. */
export function hasFieldOf(object: JsonObject, fields: ReadonlySet<string>): boolean {
  for (const name in object) if (fields.has(name)) return true;
  return false;
}

/**
 * Reads a sequence such as `[{"name": "amount", "value": 3}]`. Repeated entries become a list.
 * Returns `undefined` for any other array.
 */
function valuesOfSequence(entries: readonly Json[]): JsonObject | undefined {
  const objects = entries.filter((entry) => entry !== null);
  const isRead = (entry: Json): entry is JsonObject => isJsonObject(entry) && !isMisread(entry);
  if (!objects.every(isRead)) return undefined;

  const groups = Map.groupBy(objects, (entry) => pickText(entry, ['name']));
  const values: [string, Json][] = [];
  for (const [name, group] of groups) {
    // A heading has no name.
    if (name === undefined) continue;
    const held = group.map((entry) => valueAt(entry, 'value') ?? null);
    const filled = held.filter((value) => value !== null);
    values.push([name, filled.length > 1 ? filled.flat() : (filled[0] ?? null)]);
  }
  return values.length > 0 || entries.length === 0 ? Object.fromEntries(values) : undefined;
}

/** Names such as `stringValue` or `content`, and none such as `defaultValue`. */
const VALUE_NAME = /^(?!default|allowed|possible|initial|min|max).*(?:values?|content)$/i;

/**
 * Returns whether another member of an entry than `name` and `value` contains its name or its
 * value. An entry of a section has entries of its own.
 */
function isMisread(entry: JsonObject): boolean {
  const value = valueAt(entry, 'value');
  const isNameless = pickText(entry, ['name']) === undefined;
  if (isNameless && value !== undefined && value !== null) return true;
  if (value !== undefined) return false;
  const isEntry = (held: Json): boolean => isJsonObject(held) && 'value' in held;
  return Object.entries(entry).some(([name, held]) => {
    if (Array.isArray(held) && held.some(isEntry)) return true;
    return held !== null && VALUE_NAME.test(name);
  });
}

/**
 * Decodes CaseCreated or ActvityStarted (sic). `knownId` is used if the record does not contain its
 * `idCase`. With `knownId` an empty body is valid, because a 202 alone confirms the activity.
 *
 * An object with an activity has precedence over an id beside the case's own, because it may also
 * contain the activity's name.
 */
export function decodeCase(body: Json | undefined, dialect: Dialect, knownId?: string): CaseRecord {
  const isEmpty = knownId !== undefined && (body === undefined || body === null);
  const record = isEmpty ? {} : requiredObject(body, 'case');
  const caseId = required(knownId ?? pickText(record, dialect.case.id), 'case id');

  const members = Object.values(record);
  const firsts = members.map((member) => (Array.isArray(member) ? member[0] : undefined));
  const holders = [...members, ...firsts, record].filter(isJsonObject);
  const holder = holders.find((candidate) => pickText(candidate, ['cdActivity']) !== undefined);
  const activityId = holder && pickText(holder, ['cdActivity']);
  if (holder === undefined || activityId === undefined) return { caseId, record };
  if (!isInt64(activityId)) throw new UnrecognisedError('not-int64');

  // The record's own `name` belongs to the case, not to the activity.
  const name = holder === record ? undefined : pickText(holder, ['name', 'nameActivity', 'title']);
  return { caseId, activity: { activityId, name }, record };
}

/** Decodes GetParameters. */
export function decodeRule(key: RuleKey, body: Json | undefined, dialect: Dialect): RuleRecord {
  const record = requiredObject(body, 'rule');
  return {
    ...key,
    name: pickText(record, ['name']),
    descriptiveName: pickText(record, ['descriptiveName', 'description']),
    parameters: decodeParameters(record, dialect),
    definition: record,
  };
}

/**
 * Decodes the ParametersList in a rule's declaration.
 *
 * @param isRead whether an entry is readable; by default always.
 */
export function decodeParameters(
  body: Json | undefined,
  dialect: Dialect,
  names = dialect.rule.parameters,
  isRead: (item: JsonObject) => boolean = () => true,
): ParameterRecord[] {
  const isNull =
    isJsonObject(body) &&
    pickArray(body, names) === undefined &&
    names.some((name) => body[name] === null);
  const items = isNull ? [] : required(findItems(body, names, dialect), 'list of parameters');
  const objects = items.filter(isJsonObject);
  if (!objects.every(isRead)) throw new UnrecognisedError('absent');
  const parameters = objects.flatMap((item) => decodeParameter(item) ?? []);
  return required(
    items.length === 0 || parameters.length > 0 ? parameters : undefined,
    'parameter',
  );
}

/**
 * Decodes the ParametersList of an executed rule. A rule may have no outputs.
 *
 * @throws {UnrecognisedError} if another member may contain the name or the value of an output.
 */
export function decodeOutputs(body: Json | undefined, dialect: Dialect): ParameterRecord[] {
  if (body === undefined || body === null) return [];
  const { outputs, parameters } = dialect.rule;
  const isRead = (item: JsonObject): boolean => !isMisread(item);
  if (!isJsonObject(body)) return decodeParameters(body, dialect, parameters, isRead);
  // Some platforms repeat the inputs.
  const isInput = (name: string) => parameters.includes(name) && !outputs.includes(name);
  const members = Object.entries(body).filter(([name]) => !isInput(name));
  if (members.every(([name, value]) => value === null || isCompanion(name, dialect))) return [];
  return decodeParameters(Object.fromEntries(members), dialect, outputs, isRead);
}

function decodeParameter(item: JsonObject): ParameterRecord | undefined {
  const name = pickText(item, ['name']);
  return name === undefined
    ? undefined
    : { name, type: pickText(item, ['type']), value: item['value'] };
}

// Only these words are methods. A flat instance may have a field called `method`, for example
// paying by "card".
const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);

const SEPARATORS = /[\s,]+/;

/** One link of a record, with the methods that it allows. */
interface Link {
  readonly rel: string;
  readonly href: string;
  readonly methods: readonly string[];
}

const NONE: readonly never[] = [];
/** The highest number of links of a record. */
const MAX_LINKS = 1_000;

/**
 * Returns every link of a record in order: `links: [{rel, href, methods}]`,
 * `_links: {rel: {href, method}}`, and the `Link` header.
 *
 * @param operation the operation that reads the record, in the interface's spelling.
 * @throws {UpstreamError} `malformed` if there are more than 1,000 links.
 */
export function linksOf(rawLinks: RawLinks, operation: string): LinkRecord[] {
  return decodeLinks(rawLinks, operation).flatMap(({ rel, href, methods }): LinkRecord[] =>
    methods.length === 0 ? [{ rel, href }] : methods.map((method) => ({ rel, href, method })),
  );
}

/**
 * Returns the distinct methods that are allowed on the record. `undefined` if the platform lists no
 * method. Links to other addresses than `self` are ignored.
 *
 * @throws {UpstreamError} like `linksOf`.
 */
export function methodsOf(rawLinks: RawLinks, operation: string): readonly string[] | undefined {
  const links = decodeLinks(rawLinks, operation);
  const self = links.find(({ rel }) => rel === 'self')?.href;
  const allowed = new Set(namedMethods(rawLinks.record));
  for (const { href, methods } of links) {
    if (self === undefined || href === self) for (const method of methods) allowed.add(method);
  }
  return allowed.size === 0 ? undefined : [...allowed];
}

function decodeLinks(rawLinks: RawLinks, operation: string): readonly Link[] {
  const links: Link[] = [];
  for (const link of readLinks(rawLinks)) {
    links.push(link);
    if (links.length <= MAX_LINKS) continue;
    const advice = `A record has more than ${MAX_LINKS} links, which are not read.`;
    throw new UpstreamError('malformed', { operation, advice });
  }
  return links;
}

/**
 * Reads links lazily, because a platform may send any number.
 *
 * @param isRead selects the links in the body by `rel`; by default all.
 */
export function* readLinks(
  { record, header }: RawLinks,
  isRead?: (rel: string) => boolean,
): Generator<Link> {
  for (const link of pickArray(record, LINK_MEMBERS) ?? NONE)
    yield* decodeLink(undefined, link, isRead);
  const byRel = pickObject(record, LINK_MEMBERS);
  // In HAL, a rel contains one link or a list of links.
  for (const rel in byRel)
    for (const link of [byRel[rel]].flat()) yield* decodeLink(rel, link, isRead);
  if (header !== undefined) yield* decodeLinkHeader(header);
}

function decodeLink(
  rel: string | undefined,
  link: Json | undefined,
  isRead?: (rel: string) => boolean,
): readonly Link[] {
  if (typeof link === 'string' && rel !== undefined) return [{ rel, href: link, methods: NONE }];
  if (!isJsonObject(link) || typeof link['href'] !== 'string') return NONE;
  const name = rel ?? (typeof link['rel'] === 'string' ? link['rel'] : 'related');
  if (isRead?.(name) === false) return NONE;
  return [{ rel: name, href: link['href'], methods: namedMethods(link) }];
}

/** Decodes the distinct methods of a record or link: `["GET", "PATCH"]` or `"get, patch"`. */
const namedMethods = (record: JsonObject): readonly string[] => {
  const words = ['methods', 'method']
    .flatMap((name) => [valueAt(record, name) ?? NONE].flat().slice(0, MAX_METHODS))
    // A longer text is a field's value.
    .filter((text) => typeof text === 'string' && text.length <= MAX_METHODS_LENGTH)
    .flatMap((text) => String(text).toUpperCase().split(SEPARATORS).filter(isMethod));
  return [...new Set(words)];
};

/**
 * The highest number of texts that are read as methods of a record or link, and of the characters
 * of each. The seven known methods have 46 characters together.
 */
const MAX_METHODS = 20;
const MAX_METHODS_LENGTH = 200;

const isMethod = (word: string): boolean => METHODS.has(word);

// The subset of RFC 8288 that platforms use: <href>; rel="next", <href>; rel=self; method="PUT"
function decodeLinkHeader(header: string): Link[] {
  return [...header.matchAll(/<([^<>]*)>([^<]*)/g)].flatMap(([, href = '', parameters = '']) => {
    const parameter = (name: string) =>
      new RegExp(`;\\s*${name}\\s*=\\s*"?([^";,]+)"?`, 'i').exec(parameters)?.[1]?.trim();
    const method = parameter('method')?.toUpperCase();
    const methods = method ? [method] : NONE;
    return (parameter('rel')?.split(/\s+/) ?? []).map((rel) => ({ rel, href, methods }));
  });
}
