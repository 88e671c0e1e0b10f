import { isDeepStrictEqual } from 'node:util';

import { orUndefined, UpstreamError } from '../core/errors.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import { toError } from '../upstream/answer.ts';
import { kindOf } from '../upstream/decoders.ts';
import type { Dialect } from '../upstream/dialect.ts';
import { fieldValue } from '../upstream/field-value.ts';
import type { List } from '../upstream/operation.ts';
import { isInt64 } from '../upstream/path.ts';
import type { FieldRecord, InstanceRecord } from '../upstream/records.ts';
import { getForm, getForms } from '../upstream/resources/forms.ts';
import { getFormIntance, getFormIntances } from '../upstream/resources/instances.ts';
import { maxPageSizeOf } from '../upstream/search.ts';
import {
  combine,
  describeKind,
  likelyKinds,
  namesIn,
  naming,
  objectsIn,
  product,
  retype,
} from './doctor-changes.ts';
import { type Check, describeFailure, type Examination, fail, note, ok } from './doctor-check.ts';
import { PlatformReader, type Reads, wholePage } from './doctor-platform.ts';
import { type Listed, pagingCheck, searchChecks } from './doctor-search.ts';

const MAX_FORMS = 10;
/** The faults of a field without a value in any row. It may be empty in all of them. */
const EMPTY = 1e-4;
/** Page sizes to try if the dialect's page size is rejected. */
const PAGE_SIZES = [50, 25, 20, 10];

/** Checks the platform's responses to reads. Proposes changes of the dialect. */
export async function examineReads(reads: Reads, examination: Examination): Promise<void> {
  const { report } = examination;
  const platform = new PlatformReader(reads);
  if (!(await examination.run(formsCheck(platform))))
    return report('skip', 'list', 'not looked at');
  const { dialect } = examination;
  const formIds = await platform.readIds(getForms, wholePage(dialect), dialect);
  if (formIds.length === 0) return report('note', 'forms', 'the user may read no form');
  const forms: Listed = { of: 'form', list: getForms, args: { formId: '' }, ids: formIds };
  await examination.run(pagingCheck(forms, platform));

  const lists: Listed[] = [];
  for (const formId of formIds.slice(0, MAX_FORMS)) {
    const isKnown = await examination.run(formCheck(platform, formId));
    if (!isKnown || !(await examination.run(rowsCheck(platform, formId)))) continue;
    const rows = await platform.readRows(formId, examination.dialect).catch(() => []);
    const ids = rows.map(({ instanceId }) => instanceId);
    if (ids.length > 0)
      lists.push({ of: 'instance', list: getFormIntances, args: { formId }, ids });
  }
  const [list] = lists;
  if (list === undefined) return report('note', 'list', 'there is no instance to look at');
  const checks = [
    pagingCheck(list, platform),
    valuesCheck(platform, lists, formIds),
    singleCheck(platform, lists),
    errorCheck(platform, list),
    ...searchChecks(forms, list, platform),
  ];
  for (const check of checks) await examination.run(check);
}

/**
 * Reads the ids of the first page. `problem` is set if a request without a page number returns
 * another page.
 */
async function readFirst<A, V extends { readonly formId: string }>(
  list: List<A, V>,
  args: A,
  dialect: Dialect,
  platform: PlatformReader,
) {
  const ids = await platform.readIds(list, { ...args, ...wholePage(dialect) }, dialect);
  const own = { ...args, ...wholePage(dialect), pageNumber: undefined };
  const first = await platform.readIds(list, own, dialect).catch(() => ids);
  const problem = isDeepStrictEqual(first, ids) ? undefined : FIRST_PAGE;
  return { ids, problem };
}

const FIRST_PAGE = 'page 1 is not the page that comes without a number: see list.firstPage';

/** Returns changes of the way in which a list is requested. */
async function pageChanges<A>(
  list: List<A, unknown>,
  args: A,
  dialect: Dialect,
  platform: PlatformReader,
) {
  const { status } = await platform.get(list, { ...args, ...wholePage(dialect) }, dialect);
  const sizes = PAGE_SIZES.filter((size) => status >= 400 && size < maxPageSizeOf(dialect));
  const firstPage = dialect.list.firstPage === 0 ? 1 : 0;
  return [{ list: { firstPage } }, ...sizes.map((maxPageSize) => ({ list: { maxPageSize } }))];
}

const describeIds = (of: string, ids: readonly string[]): string =>
  `${ids.length} on the first page${of}: ${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ', …' : ''}`;

/** Checks that the list of forms can be read, and the definition of the first form. */
const formsCheck = (platform: PlatformReader): Check => ({
  subject: 'forms',
  hook: 'the hooks for getForms and getForm',
  async look(dialect) {
    const { ids, problem } = await readFirst(getForms, {}, dialect, platform);
    if (problem) return fail(1_000, problem);
    const [formId] = ids;
    if (formId === undefined) {
      // If pages are counted from 0, page 1 may be empty. Without a number, the platform returns
      // the first page.
      const first = { ...wholePage(dialect), pageNumber: undefined };
      const bodies = [
        await platform.bodyOf(getForms, wholePage(dialect), dialect),
        await platform.bodyOf(getForms, first, dialect).catch(() => undefined),
      ];
      return bodies.some(hasRows)
        ? fail(1_000, 'its rows are not where the dialect looks for them')
        : ok('none');
    }
    const form = await lookAtForm(formId, dialect, platform);
    return form ?? ok(describeIds('', ids));
  },
  async changes(dialect) {
    const objects = objectsIn(await platform.bodyOf(getForms, wholePage(dialect), dialect));
    const pages = await pageChanges(getForms, {}, dialect, platform);
    const [formId = ''] = await platform
      .readIds(getForms, wholePage(dialect), dialect)
      .catch(() => []);
    const form = objectsIn(
      await platform.bodyOf(getForm, { formId }, dialect).catch(() => undefined),
    );
    return [
      ...pages,
      ...combine(objects, ['list.embedded', 'list.items', 'form.id'], dialect),
      ...combine(form, ['envelope', 'form.fields'], dialect),
    ];
  },
});

/** Returns the fault in the definition of a form; `undefined` if it can be read. */
async function lookAtForm(formId: string, dialect: Dialect, platform: PlatformReader) {
  try {
    await platform.readFields(formId, dialect);
    return undefined;
  } catch (error) {
    const isForm = error instanceof UpstreamError && error.failure === 'malformed';
    return fail(
      isForm ? 50 : 100,
      `getForm of the first one, ${formId}: ${describeFailure(error)}`,
    );
  }
}

/** Returns whether a body has a list that contains an object, at any depth. Links do not count. */
function hasRows(body: Json | undefined): boolean {
  if (!Array.isArray(body)) return isJsonObject(body) && Object.values(body).some(hasRows);
  return body.some((row) => isJsonObject(row) && !('href' in row));
}

/** Checks that a form has fields, and that the rows have values with the names of these fields. */
const formCheck = (platform: PlatformReader, formId: string): Check => ({
  subject: 'form',
  hook: 'the hook response for getForm',
  async look(dialect) {
    const fields = await platform.readFields(formId, dialect);
    const isOdd =
      fields.length === 0 && hasRows(await platform.bodyOf(getForm, { formId }, dialect));
    if (isOdd) return fail(1_000, `${formId} has no fields where the dialect looks for them`);
    const body = await platform.bodyOf(getFormIntances, { formId, ...wholePage(dialect) }, dialect);
    const text = JSON.stringify(body) ?? '';
    const lacking = fields.filter(({ name }) => !text.includes(JSON.stringify(name))).length;
    const counted = ok(`${formId} has ${fields.length} fields`);
    if (lacking === 0 || !hasRows(body)) return counted;
    if (lacking < fields.length) return { ...counted, faults: lacking * EMPTY };
    return fail(lacking, `no row of ${formId} has a value of its fields: see form.fieldName`);
  },
  async changes(dialect) {
    const objects = objectsIn(await platform.bodyOf(getForm, { formId }, dialect));
    return combine(objects, ['envelope', 'form.fields', 'form.fieldName'], dialect);
  },
});

/**
 * Returns the value of a field; `undefined` if the instance has no value, or if another member may
 * hold it.
 */
const valueIn = (
  record: InstanceRecord | undefined,
  { name }: FieldRecord,
  dialect: Dialect,
): Json | undefined => {
  const { content } = record ?? {};
  return content && orUndefined(() => fieldValue(content, name, dialect));
};

/**
 * Returns whether another member of the instance may hold the field, so that the graph returns an
 * error for it.
 */
const isMisplaced = (
  { content }: InstanceRecord,
  { name }: FieldRecord,
  dialect: Dialect,
): boolean =>
  content !== undefined && orUndefined(() => [fieldValue(content, name, dialect)]) === undefined;

/**
 * Checks that each row of a form has an id, and that the rows have values for the fields of the
 * form.
 */
const rowsCheck = (platform: PlatformReader, formId: string): Check => ({
  subject: 'list',
  mayBeForbidden: true,
  hook: 'the hook response for getFormIntances and getFormIntance',
  async look(dialect) {
    const rows = await platform.readRows(formId, dialect);
    const { ids, problem } = await readFirst(getFormIntances, { formId }, dialect, platform);
    if (problem) return fail(1_000, problem);
    if (ids.length === 0) return ok(`${formId} has no instances`);
    if (!ids.every(isInt64) || new Set(ids).size < ids.length) {
      return fail(1_000, `the ids of ${formId} are not integers of 64 bits, one for each row`);
    }
    const fields = await platform.readFields(formId, dialect);
    const faults = fields.filter((field) =>
      rows.every((row) => valueIn(row, field, dialect) === undefined),
    ).length;
    if (faults > 0 && faults === fields.length)
      return fail(faults, `no row of ${formId} has a field of the form at its place`);
    return { ...ok(describeIds(` of ${formId}`, ids)), faults: faults * EMPTY };
  },
  async changes(dialect) {
    const objects = objectsIn(
      await platform.bodyOf(getFormIntances, { formId, ...wholePage(dialect) }, dialect),
    );
    return [
      ...(await pageChanges(getFormIntances, { formId }, dialect, platform)),
      ...combine(objects, ['list.items', 'instance.id', 'instance.values'], dialect),
    ];
  },
});

/** A field with its values in the rows, and the problem with it. */
interface SeenField {
  readonly field: FieldRecord;
  /** The form's id and the field's name. */
  readonly name: string;
  /** The type of the field, or a description of a value that cannot be read. */
  readonly about: string | undefined;
  readonly values: readonly Json[];
  readonly problem: keyof typeof PROBLEMS | undefined;
}

const PROBLEMS = {
  misplaced:
    'fields are errors where they are empty, since another member may hold them (instance.values)',
  unread: 'values do not fit their fields (form.types)',
  reference: 'references name no form (form.fieldReference)',
  choice: 'choices without options are read as texts (form.fieldOptions)',
  unknown: 'fields of types that form.types does not know hold any JSON',
} as const;

/** Checks that the types of all fields are known, and that their values can be read. */
const valuesCheck = (
  platform: PlatformReader,
  lists: readonly Listed[],
  formIds: readonly string[],
): Check => {
  const see = async (dialect: Dialect): Promise<readonly SeenField[]> => {
    const seen: SeenField[] = [];
    for (const { args } of lists) {
      const rows = await platform.readRows(args.formId, dialect);
      for (const field of await platform.readFields(args.formId, dialect)) {
        const name = `${args.formId}.${field.name}`;
        if (rows.some((row) => isMisplaced(row, field, dialect))) {
          seen.push({ field, name, about: field.type, values: [], problem: 'misplaced' });
          continue;
        }
        const values = rows
          .map((row) => valueIn(row, field, dialect))
          .filter((value) => value !== undefined);
        const isUnread = (value: Json) =>
          !orUndefined(() => [platform.checkValue(field, value, dialect)]);
        const unread = [...new Set(values)].find(isUnread);
        seen.push(seeField(name, field, values, unread, dialect));
      }
    }
    return seen;
  };

  let typed: Set<string> | undefined;
  return {
    subject: 'values',
    isOfParts: true,
    hook: 'the hook response for getFormIntances and getFormIntance',
    async look(dialect) {
      const seen = await see(dialect);
      const faulty = Map.groupBy(seen, ({ problem }) => problem);
      faulty.delete(undefined);
      if (faulty.size === 0) return ok(`the values of ${seen.length} fields can be read`);
      const groups = [...faulty].map(([problem = 'unknown', fields]) => {
        return `${PROBLEMS[problem]}: ${fields.map(({ name, about }) => `${name} (${about})`).join(', ')}`;
      });
      const finding = groups.join('; ');
      // A field whose type was known at first must not lose it, since this would hide a value that
      // does not fit.
      typed ??= new Set(
        seen.flatMap(({ name, problem = 'unread' }) => (problem === 'unread' ? name : [])),
      );
      const isGrave = ({ name, problem }: SeenField) =>
        problem === 'unread' || (problem && typed?.has(name));
      const faults = seen.filter(isGrave).length * 100 + [...faulty.values()].flat().length;
      // A misplaced field leads to errors only in rows without it, and another member may have its
      // name by chance. So it is only a note.
      const isFailed = faulty.has('unread') || faulty.has('reference');
      return isFailed ? fail(faults, finding) : note(finding, faults);
    },
    async changes(dialect) {
      const seen = await see(dialect);
      const odd = seen.filter(({ problem }) => problem !== undefined);
      const definitions = seen.map(({ field }) => field.definition);
      const ofType = Map.groupBy(odd, ({ field }) => field.type ?? '');
      const toReference = [...ofType.keys()].map((word) => retype(word, 'reference', dialect));
      const likely = [...ofType].flatMap(([word, fields]) => {
        const values = fields.flatMap((one) => (one.problem === 'unknown' ? one.values : []));
        return likelyKinds(word, values, dialect).map((kind) => retype(word, kind, dialect));
      });
      const targets = namesIn(definitions, (value) => formIds.includes(String([value].flat()[0])));
      const references = naming('form.fieldReference', targets, dialect);
      const types = namesIn(definitions, (value) => typeof value === 'string');
      const held = objectsIn(seen.flatMap(({ values }) => values));
      return [
        ...product(references, toReference),
        ...likely,
        ...naming('form.fieldType', types, dialect),
        ...types.map((name) => ({ form: { fieldType: [...dialect.form.fieldType, name] } })),
        ...combine(held, ['form.optionValue'], dialect),
        ...combine(definitions, ['form.fieldMultiple'], dialect),
        ...combine(definitions, ['form.fieldOptions'], dialect),
        // Only one of the two fits: values in milliseconds, read as seconds, would be after the
        // year 9999.
        ...['epoch-s', 'epoch-ms'].map((datetime) => ({ form: { datetime } })),
      ];
    },
  };
};

/**
 * Returns a field with the problem that its values or its definition have.
 *
 * @param unread a value that cannot be read; `undefined` if all can be read.
 */
function seeField(
  name: string,
  field: FieldRecord,
  values: readonly Json[],
  unread: Json | undefined,
  { form }: Dialect,
): SeenField {
  if (unread !== undefined)
    return { field, name, about: describeKind(unread), values, problem: 'unread' };
  const { type, reference, options = [] } = field;
  const kind = kindOf(type, form) ?? 'unknown';
  const isOpen =
    kind === 'reference' || kind === 'unknown' || (kind === 'choice' && options.length === 0);
  const problem = isOpen && reference === undefined ? kind : undefined;
  return { field, name, about: type, values, problem };
}

/** Checks that a single instance is read with the same fields as in a list. */
const singleCheck = (platform: PlatformReader, lists: readonly Listed[]): Check => ({
  subject: 'instance',
  hook: 'the hook response for getFormIntance',
  async look(dialect) {
    let faults = 0;
    for (const { args, ids } of lists) {
      const fields = await platform.readFields(args.formId, dialect);
      const [row] = await platform.readRows(args.formId, dialect);
      const key = { ...args, instanceId: ids[0] ?? '' };
      const one = await platform.read(
        getFormIntance,
        key,
        dialect,
        new Set(fields.map(({ name }) => name)),
      );
      faults += fields.filter(
        (field) =>
          valueIn(row, field, dialect) !== undefined && valueIn(one, field, dialect) === undefined,
      ).length;
    }
    return faults > 0
      ? fail(faults, 'a single one lacks fields that it has in a list')
      : ok('read as in a list');
  },
  async changes(dialect) {
    const [first] = lists;
    const key = { formId: '', ...first?.args, instanceId: first?.ids[0] ?? '' };
    const objects = objectsIn(await platform.bodyOf(getFormIntance, key, dialect));
    return combine(objects, ['envelope', 'instance.values'], dialect);
  },
});

/** Checks the response to an id that does not exist. */
const errorCheck = (platform: PlatformReader, { args, ids }: Listed): Check => {
  const highest = ids.map(BigInt).reduce((one, other) => (one > other ? one : other), 0n);
  const key = { ...args, instanceId: String(highest + 1_000_003n) };
  const subject = 'an id that does not exist gets';
  return {
    subject: 'error',
    hook: 'the hook response for getFormIntance',
    async look(dialect) {
      const response = await platform.get(getFormIntance, key, dialect);
      if (response.status < 300) {
        const failure = await platform
          .read(getFormIntance, key, dialect)
          .then(() => '', describeFailure);
        return fail(1, `${subject} HTTP ${response.status} ${failure}`);
      }
      const error = toError({ operation: getFormIntance.name, kind: 'read' }, response, dialect);
      const said = `${subject} ${describeFailure(error)}`;
      if (error.failure !== 'not-found') return note(`${said}, which is an error and not null`);
      if (error.reason !== undefined || response.text === '') return ok(said);
      return note(`${said}, without the platform’s message: see error.message`, 1);
    },
    async changes(dialect) {
      return combine(
        objectsIn(await platform.bodyOf(getFormIntance, key, dialect)),
        ['error.message'],
        dialect,
      );
    },
  };
};
