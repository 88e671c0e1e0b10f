/**
 * The records of the platform. `thing` has 20 fields and a billion instances; every hundred of them
 * refer to ten of `owner`. `thing-0`, `thing-1` and so on are copies of `thing`, for requests with
 * a form that was never read before.
 */
export interface Records {
  /** Bodies of the definitions that `getForms` lists. */
  readonly forms: readonly string[];
  nextId: number;
}

const MODIFIED = 'Mon, 02 Mar 2026 09:00:00 GMT';
const TOTAL = 1_000_000_000;

/**
 * Formats the time of the last change as an HTTP date. Each change is one second after the one
 * before.
 */
export const modifiedAfter = (changes: number): string =>
  changes === 0 ? MODIFIED : new Date(Date.parse(MODIFIED) + changes * 1_000).toUTCString();

const RECORD_FIELDS = 40;
/** The number of owners of 100 instances of `thing`. */
const OWNERS = 10;
const TEXTS = ['title', 'city', 'street', 'phone', 'email', 'note'];
const CHOICES = ['new', 'in progress', 'done', 'rejected', 'gone'];

export function createRecords(recordForms: number, firstId: number): Records {
  const records = Array.from({ length: recordForms }, (_, n) => recordForm(n, recordForms));
  return { forms: [ownerForm(), thingForm('thing'), ...records], nextId: firstId };
}

/** Answers a call. Only a creation has an effect. */
export function answerTo(
  records: Records,
  method: string,
  url: string,
  changes: number,
): { status: number; body: string } {
  const [path = '', query = ''] = url.split('?');
  const [, , , formId = '', instances, id] = path.split('/');
  const page = new URLSearchParams(query);
  if (method === 'POST') return { status: 201, body: instance(formId, records.nextId++) };
  if (method !== 'GET') return { status: method === 'DELETE' ? 204 : 202, body: '' };
  if (formId === '') return { status: 200, body: formPage(records, page) };
  if (instances !== undefined) {
    const body =
      id === undefined ? instancePage(formId, page, changes) : instance(formId, Number(id));
    return { status: 200, body };
  }
  if (formId.startsWith('thing-')) return { status: 200, body: thingForm(formId) };
  const form = records.forms.find((body) => body.startsWith(`{"idForm":"${formId}"`));
  if (form === undefined) return { status: 404, body: '{"message":"no such form"}' };
  return { status: 200, body: form };
}

function formPage({ forms }: Records, query: URLSearchParams): string {
  const { first, size } = rangeOf(query);
  return `{"items":[${forms.slice(first, first + size).join(',')}],"total":${forms.length}}`;
}

function instancePage(formId: string, query: URLSearchParams, changes: number): string {
  const searched = /=in:(.*)$/.exec(query.get('search') ?? '')?.[1];
  const { first, size } = rangeOf(query);
  const idsOfPage = Array.from({ length: size }, (_, index) => first + index + 1);
  const ids = searched?.split('|').map(Number) ?? idsOfPage;
  const total = searched === undefined ? TOTAL + changes : ids.length;
  return `{"items":[${ids.map((id) => instance(formId, id)).join(',')}],"total":${total}}`;
}

function rangeOf(query: URLSearchParams) {
  const size = Number(query.get('per-page') ?? 20);
  return { first: (Number(query.get('page-number') ?? 1) - 1) * size, size };
}

// Bodies are concatenated by hand, because the platform must be faster than the measured gateway.
function instance(formId: string, id: number): string {
  const href = `/v1.0/forms/${formId}/instances/${id}`;
  const links = `[{"rel":"self","href":"${href}","methods":["GET","PUT","PATCH","DELETE"]}]`;
  return `{"idInstance":${id},"idForm":"${formId}","values":${valuesOf(formId, id)},"links":${links}}`;
}

function valuesOf(formId: string, id: number): string {
  if (formId === 'owner') return `{"name":"Owner ${id}","city":"City ${id % 97}"}`;
  if (formId.startsWith('record')) return recordValues(id);
  const ownerId = Math.floor((id - 1) / 100) * OWNERS + ((id - 1) % OWNERS) + 1;
  const texts = TEXTS.map((name) => `"${name}":"The ${name} of ${id}"`).join(',');
  return `{${texts},"amount":${id % 1_000},"open":${id % 3 === 0},"quantity":${id % 7},"owner":${ownerId},"next":${id + 1}}`;
}

function ownerForm(): string {
  const fields = ['name', 'city'].map((name) => ({ name, type: 'text' }));
  return JSON.stringify({ idForm: 'owner', name: 'Owner', version: '1', fields });
}

function thingForm(idForm: string): string {
  const field = (name: string, type: string, more = {}) => ({
    name,
    label: `The ${name}`,
    type,
    required: true,
    ...more,
  });
  const fields = [
    field('owner', 'reference', { reference: 'owner' }),
    field('next', 'reference', { reference: 'thing', required: false }),
    field('amount', 'integer'),
    field('quantity', 'integer'),
    field('open', 'boolean'),
    ...TEXTS.map((name) => field(name, 'text')),
    ...Array.from({ length: 9 }, (_, n) => field(`spare${n}`, 'text', { required: false })),
  ];
  return JSON.stringify({ idForm, name: `Form ${idForm}`, version: '1', fields });
}

/** The types of a record's fields, repeated. */
const TYPES = [
  'text',
  'text',
  'integer',
  'decimal',
  'boolean',
  'choice',
  'date',
  'text',
  'reference',
  'datetime',
];

/** Creates a form whose references lead to other records. */
function recordForm(n: number, recordForms: number): string {
  const fields = Array.from({ length: RECORD_FIELDS }, (_, at) => {
    const type = TYPES[at % TYPES.length];
    const field = { name: `field${at}`, label: `Field ${at}`, type, required: at % 3 === 0 };
    if (type === 'choice') return { ...field, options: CHOICES };
    if (type === 'reference') return { ...field, reference: `record${(n + at) % recordForms}` };
    if (type === 'decimal') return { ...field, unit: 'EUR', min: 0, max: 1_000_000 };
    if (type === 'text') return { ...field, maxLength: 200 };
    return field;
  });
  return JSON.stringify({ idForm: `record${n}`, name: `Record ${n}`, version: '1', fields });
}

/** Formats the first ten fields of an instance. */
const recordValues = (id: number): string =>
  `{"field0":"The first of ${id}","field1":"Another of ${id}","field2":${id},"field3":${id % 997}.25,"field4":${id % 2 === 0},` +
  `"field5":"${CHOICES[id % CHOICES.length]}","field6":"2026-01-${String(1 + (id % 28)).padStart(2, '0')}","field7":"More of ${id}",` +
  `"field8":${1 + (id % 10)},"field9":"2026-03-02T09:00:00Z"}`;
