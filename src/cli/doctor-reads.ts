import { isDeepStrictEqual } from 'node:util';

import { messageOf, orUndefined, UpstreamError } from '../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { parseBody, readAnswer } from '../upstream/answer.ts';
import type { HttpResponse } from '../upstream/call.ts';
import { decodeList, kindOf, LINK_MEMBERS, TOTALS } from '../upstream/decoders.ts';
import type { Dialect } from '../upstream/dialect.ts';
import type { FieldRecord, FormRecord } from '../upstream/records.ts';
import { getForm, getForms } from '../upstream/resources/forms.ts';
import { getFormIntances } from '../upstream/resources/instances.ts';
import { maxPageSizeOf } from '../upstream/search.ts';
import type { Reads } from './doctor.ts';
import { checkOperators, checkOrder, checkSearch, decodeIds, idsOf, type List, pageOf } from './doctor-search.ts';

/** Page sizes to try where the dialect's is refused, by one of these statuses. */
const PAGE_SIZES = [50, 25, 20, 10];
const REFUSALS: readonly number[] = [400, 422];
/** In how many forms instances are looked for. */
const FORMS_LOOKED_AT = 10;
/** Clocks that are less apart count as equal: a Date header has whole seconds, and takes its time to come. */
const CLOCK_TOLERANCE_S = 5;
const LONG_AGO = new Date(0).toUTCString();

/** Examines what the platform answers to reads, and proposes what the dialect should say of it. */
export async function examineReads(reads: Reads): Promise<void> {
  const { get, report } = reads;
  const ofForms: List = {
    of: 'form',
    operation: getForms.name,
    read: (query, options) => get(getForms, query, options),
    ids: [],
  };
  const forms = await readList(ofForms, reads);
  if (forms === undefined) return report('skip', 'list', 'not looked at');
  if (forms.ids.length === 0)
    return report('note', 'forms', 'the user may read no form, so there is nothing more to see');
  await checkForm(forms.ids, reads);

  for (const formId of forms.ids.slice(0, FORMS_LOOKED_AT)) {
    const ofInstances: List = {
      of: 'instance',
      operation: getFormIntances.name,
      formId,
      read: (query, options) => get(getFormIntances, { formId, ...query }, options),
      ids: [],
    };
    const list = await readList(ofInstances, reads);
    if (list === undefined) return report('skip', 'in search', 'not looked at');
    if (list.ids.length === 0) continue;
    await checkConditional(list, reads);
    await checkSearch(forms, reads);
    await checkSearch(list, reads);
    await checkOperators(forms, list, reads);
    return checkOrder(list, reads);
  }
  report('note', 'list', 'no form has an instance to look at, so searches and conditional requests are not checked');
}

const SUBJECTS = { form: 'forms', instance: 'list' } as const;

/** Reads the first page of a list, and gives it with the ids in it; `undefined` where it cannot be read. */
async function readList(given: List, reads: Reads): Promise<List | undefined> {
  const { report } = reads;
  try {
    const response = await findFirstPage(given, await getPage(given, reads), reads);
    if (given.of === 'form') checkClock(response, report);
    const ids = readIds(response, given, reads);
    const list = { ...given, ids };
    await checkPages(list, reads);
    await checkEnd(list, reads);
    await checkTotal(list, reads);
    const name = list.formId === undefined ? '' : ` of ${list.formId}`;
    const some = ids.slice(0, 3).join(', ') + (ids.length > 3 ? ', …' : '');
    const count = `${ids.length} on the first page${name}: ${some}`;
    report('ok', SUBJECTS[list.of], ids.length === 0 ? `none${name}` : count);
    return list;
  } catch (error) {
    report('FAIL', SUBJECTS[given.of], describeFailure(error));
    return undefined;
  }
}

/** Asks for the largest page that the dialect names, and for smaller ones where that is refused. */
async function getPage(list: List, { dialect, report, propose }: Reads): Promise<HttpResponse> {
  const maxPageSize = maxPageSizeOf(dialect());
  const response = await list.read(pageOf({ perPage: maxPageSize }));
  if (!REFUSALS.includes(response.status)) return response;
  for (const size of PAGE_SIZES.filter((smaller) => smaller < maxPageSize)) {
    const smaller = await list.read(pageOf({ perPage: size }));
    if (smaller.status >= 300) continue;
    report('FAIL', SUBJECTS[list.of], `a page of ${maxPageSize} is refused, one of ${size} is not`);
    propose({ list: { maxPageSize: size } });
    return smaller;
  }
  return response;
}

/** Compares a first page with the page that comes without a number, and returns the response to the one that is first. */
async function findFirstPage(list: List, response: HttpResponse, reads: Reads): Promise<HttpResponse> {
  const { dialect, report, propose } = reads;
  const read = (pageNumber: number | undefined, tried?: JsonObject) =>
    list.read(pageOf({ pageNumber, perPage: maxPageSizeOf(dialect()) }), { tried });
  const rowsIn = ({ text }: HttpResponse) => largestArray(parseBody(text))?.items;
  const rows = rowsIn(await read(undefined));
  if (rows === undefined || isDeepStrictEqual(rows, rowsIn(response))) return response;

  const firstPage = dialect().list.firstPage === 0 ? 1 : 0;
  const change = { list: { firstPage } };
  const other = await read(1, change);
  if (!isDeepStrictEqual(rows, rowsIn(other))) return response;
  report('FAIL', SUBJECTS[list.of], `its first page is page ${firstPage}: the platform counts pages from ${firstPage}`);
  propose(change);
  return other;
}

/** Reads a page of one row, where a total that counts the rows of the page is 1. */
async function checkTotal(list: List, { dialect, report, propose }: Reads): Promise<void> {
  const { operation, ids } = list;
  if (ids.length < 2 || dialect().list.total !== undefined) return;
  const { text } = await list.read(pageOf({ perPage: 1 }));
  const answer = { body: parseBody(text), headers: {} };
  const counts = TOTALS.flatMap((name) => {
    const tried = dialect({ list: { total: [name] } });
    const page = orUndefined(() => decodeList(operation, answer, tried, (item) => item));
    return page?.total !== undefined && page.items.length === 1 ? [{ name, ...page, total: page.total }] : [];
  });
  const wrong = counts.filter(({ total }) => total < 2).map(({ name }) => name);
  const right = counts.filter(({ total }) => total > 1).map(({ name }) => name);
  if (wrong.length > 0) report('note', SUBJECTS[list.of], `${wrong.join(', ')}: does not count the rows of all pages`);
  // Where pages are linked, a list ends with its links.
  else if (right.length === 0 || counts[0]?.hasNext !== undefined) return;
  propose({ list: { total: right.length > 0 ? right : TOTALS.filter((name) => !wrong.includes(name)) } });
}

/** Asks for half of the rows, and then for the other half: a platform that pages otherwise loses or repeats rows. */
async function checkPages(list: List, reads: Reads): Promise<void> {
  const report = (verdict: 'note' | 'FAIL', finding: string) => reads.report(verdict, SUBJECTS[list.of], finding);
  const perPage = Math.floor(list.ids.length / 2);
  if (perPage === 0) return;
  const first = await idsOf(list, { perPage }, reads);
  const second = await idsOf(list, { pageNumber: 2, perPage }, reads);
  const isLong = first.length > perPage;
  const isRepeated = second.length > 0 && second.every((id, at) => id === first[at]);
  if (isLong && isRepeated) report('note', 'the platform does not page it: each page is the whole list');
  else if (isLong) report('FAIL', 'the platform ignores per-page, so lists lose or repeat rows');
  else if (isRepeated) report('FAIL', 'the platform ignores page-number: each page is the first one');
}

/** Measures the longest page: a full one is, and so is one that is shorter than requested where rows are on the page after it. */
async function checkEnd(list: List, reads: Reads): Promise<void> {
  const { dialect, report, propose } = reads;
  const { length } = list.ids;
  const maxPageSize = maxPageSizeOf(dialect());
  if (length >= maxPageSize && dialect().list.maxPageSize === undefined) propose({ list: { maxPageSize } });
  if (length === 0 || length >= maxPageSize) return;
  const first = await idsOf(list, { perPage: length }, reads);
  const next = await idsOf(list, { pageNumber: 2, perPage: length }, reads);
  if (next.every((id) => first.includes(id))) return;
  const rows = `a page of ${maxPageSize} comes with ${length}, and more follow`;
  report('note', SUBJECTS[list.of], `${rows}; list.maxPageSize saves the gateway from finding that out`);
  propose({ list: { maxPageSize: length } });
}

function checkClock({ headers: { date } }: HttpResponse, report: Reads['report']): void {
  const seconds = Math.round((Date.parse(date ?? '') - Date.now()) / 1_000);
  const difference = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} this machine’s; check both`;
  if (date === undefined) report('note', 'clock', 'the platform’s answers have no Date, so its clock is unknown');
  else if (Math.abs(seconds) <= CLOCK_TOLERANCE_S) report('ok', 'clock', 'equal to the platform’s');
  else report('note', 'clock', `the platform’s is ${difference}`);
}

/** Reads the items' ids, by a changed dialect where the given one cannot. */
function readIds(response: HttpResponse, list: List, { dialect, report, propose }: Reads): readonly string[] {
  const decode = (tried?: JsonObject) => unlessMalformed(() => decodeIds(list, response, dialect(tried)));
  const array = largestArray(parseBody(response.text));
  const ids = decode();
  if (ids !== undefined && (ids.length > 0 || array === undefined)) return ids;

  const items = proposeItems(array);
  const id = proposeId(array, list);
  const change = [items, id, { ...items, ...id }].find((tried) => decode(tried)?.length);
  if (change !== undefined) propose(change);
  const found = decodeIds(list, response, dialect());
  report('FAIL', SUBJECTS[list.of], 'it is shaped otherwise than the dialect says');
  return found;
}

/** @throws {UpstreamError} for a response about another resource. */
function unlessMalformed<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof UpstreamError && error.failure === 'malformed') return undefined;
    throw error;
  }
}

/** An array of objects, and the members that lead to it. */
interface FoundArray {
  readonly names: readonly string[];
  readonly items: readonly JsonObject[];
}

/** Finds where an answer holds its items. */
function proposeItems(array: FoundArray | undefined): JsonObject | undefined {
  const [outer, inner] = array?.names ?? [];
  if (outer === undefined) return undefined;
  return { list: inner === undefined ? { items: [outer] } : { embedded: [outer], items: [inner] } };
}

function largestArray(body: Json | undefined): FoundArray | undefined {
  return findArrays(body).sort((left, right) => right.items.length - left.items.length)[0];
}

function findArrays(body: Json | undefined, names: readonly string[] = []): FoundArray[] {
  if (Array.isArray(body)) return body.length > 0 && body.every(isJsonObject) ? [{ names, items: body }] : [];
  if (!isJsonObject(body) || names.length === 2) return [];
  const members = Object.entries(body).filter(([name]) => !LINK_MEMBERS.includes(name));
  return members.flatMap(([name, value]) => findArrays(value, [...names, name]));
}

/** Finds the member that is unique among the items of a list, and named like an id. */
function proposeId(array: FoundArray | undefined, list: List): JsonObject | undefined {
  const { items = [] } = array ?? {};
  const isId = (name: string) => {
    const values = items.map((item) => item[name]);
    const isScalar = values.every((value) => typeof value === 'string' || typeof value === 'number');
    const isInteger = values.every((value) => /^-?\d+$/.test(String(value)));
    return isScalar && new Set(values).size === items.length && (list.of === 'form' || isInteger);
  };
  const names = Object.keys(items[0] ?? {}).filter(isId);
  const name = names.find((one) => /id|code|key|number/i.test(one)) ?? names[0];
  return name === undefined ? undefined : { [list.of]: { id: [name] } };
}

/** Checks the first form's definition: that it has fields, whose types and references the dialect knows. */
async function checkForm(formIds: readonly string[], reads: Reads): Promise<void> {
  const { get, dialect, report, propose } = reads;
  const [formId = ''] = formIds;
  try {
    const response = await get(getForm, { formId });
    const form = readAnswer(getForm, { formId }, response, dialect());
    if (form === undefined) return;
    const { fields = [], definition } = form;
    const found = fields.length === 0 ? findArrays(definition)[0]?.names[0] : undefined;
    if (found !== undefined) {
      report('FAIL', 'form', `no fields of ${formId} where the dialect looks for them; "${found}" seems to hold them`);
      return propose({ form: { fields: [found] } });
    }
    const unknown = fields.filter((field) => kindIn(dialect(), field) === undefined);
    const types = [...new Set(unknown.map(({ type = '(none)' }) => type))].join(', ');
    const hint = types && `; form.types knows none of ${types}: such fields hold any JSON`;
    report(hint ? 'note' : 'ok', 'form', `${formId} has ${fields.length} fields${hint}`);
    proposeReference(form, formIds, reads);
  } catch (error) {
    report('FAIL', 'form', `${formId}: ${describeFailure(error)}`);
  }
}

const kindIn = ({ form }: Dialect, { type }: FieldRecord) => kindOf(type, form);

/** Finds the member of a reference field that names another form. */
function proposeReference(
  { fields = [], definition }: FormRecord,
  formIds: readonly string[],
  { dialect, report, propose }: Reads,
): void {
  if (!fields.some((field) => kindIn(dialect(), field) === 'reference' && field.reference === undefined)) return;
  const records = dialect()
    .form.fields.flatMap((name) => definition[name] ?? [])
    .filter(isJsonObject);
  const members = records.flatMap((record) => Object.entries(record));
  const known = [...dialect().form.fieldName, ...dialect().form.fieldLabel];
  const [name] = members.find(([key, value]) => !known.includes(key) && formIds.includes(String(value))) ?? [];
  const hint = name === undefined ? '' : `; "${name}" seems to name it`;
  report('FAIL', 'form', `a reference names no form where the dialect looks for it${hint}`);
  if (name !== undefined) propose({ form: { fieldReference: [name] } });
}

/** Checks that what has not changed is answered by 304, and that not everything is. */
async function checkConditional(list: List, { dialect, report, propose }: Reads): Promise<void> {
  if (!dialect().unchanged.isAsked) return report('ok', 'conditional', 'not sent, as the dialect says');
  const page = pageOf({ perPage: Math.min(10, maxPageSizeOf(dialect())) });
  const ask = (date: string) => list.read(page, { headers: { 'if-modified-since': date } });
  const { headers } = await list.read(page);
  const by = headers['last-modified'] === undefined ? 'Date' : 'Last-Modified';
  const validator = headers['last-modified'] ?? headers.date;
  if (validator === undefined) return report('note', 'conditional', 'answers have neither Last-Modified nor Date');

  const { status } = await ask(validator);
  const advice = 'conditional requests save nothing, each read transfers the full response';
  if (status === 200) return report('note', 'conditional', `200 instead of 304 to the ${by} of a response: ${advice}`);
  const isBlind = status === 304 && (await ask(LONG_AGO)).status === 304;
  if (status === 304 && !isBlind) return report('ok', 'conditional', `304 to the ${by} of an answer`);
  const why = isBlind ? '304 to any date, so that changes would stay unseen' : `HTTP ${status} to If-Modified-Since`;
  report('FAIL', 'conditional', why);
  propose({ unchanged: { isAsked: false } });
}

/** The outcome of a read, for the person who runs the platform or has its credentials. */
function describeFailure(error: unknown): string {
  if (!(error instanceof UpstreamError)) return messageOf(error);
  const { failure, status, errorCode, reason, causeCode, advice, cause } = error;
  if (failure === 'malformed') {
    const why = advice ?? (cause instanceof Error ? cause.message : undefined);
    return why === undefined ? 'the answer cannot be read' : `the answer cannot be read: ${why}`;
  }
  if (status === undefined) return [failure, causeCode].filter(Boolean).join(', ');
  return [`HTTP ${status}`, errorCode, reason].filter(Boolean).join(': ');
}
