import { definePlatform } from './platform.ts';

/**
 * Jotform: answers are keyed by the ids of questions, dates are objects, and `content` is around
 * each response.
 * https://api.jotform.com/docs/#form-id-submissions
 * https://api.jotform.com/docs/#submission-id
 */
export const jotform = definePlatform({
  name: 'Jotform',
  hasTotal: false,
  isSorted: false,
  token: (token) => ({ body: { access_token: token, expires_in: 3600 } }),
  forms: {
    order: {
      id: 'order',
      username: 'ann',
      title: 'Order',
      status: 'ENABLED',
      new: '1',
      count: '3',
    },
    supplier: {
      id: 'supplier',
      username: 'ann',
      title: 'Supplier',
      status: 'ENABLED',
      new: '0',
      count: '2',
    },
  },
  definitions: {
    order: {
      body: success({
        3: question('3', 'title', 'control_textbox', { required: 'Yes' }),
        4: question('4', 'amount', 'control_number'),
        5: question('5', 'paid', 'control_yesno'),
        6: question('6', 'due', 'control_datetime', { allowTime: 'No' }),
        7: question('7', 'placedAt', 'control_datetime', { allowTime: 'Yes' }),
        8: question('8', 'supplier', 'control_number'),
      }),
    },
    supplier: { body: success({ 3: question('3', 'company', 'control_textbox') }) },
  },
  order: (id, { title, amount, paid, due, placedAt, supplier }) => ({
    ...submission(id),
    answers: {
      3: answered('title', 'control_textbox', title),
      4: answered('amount', 'control_number', String(amount)),
      5: answered('paid', 'control_yesno', paid ? 'YES' : 'NO'),
      6: answered('due', 'control_datetime', due && dateOf(due)),
      7: answered('placedAt', 'control_datetime', placedAt && dateOf(placedAt)),
      8: answered('supplier', 'control_number', supplier && String(supplier)),
    },
  }),
  supplier: (id, { company }) => ({
    ...submission(id),
    answers: { 3: answered('company', 'control_textbox', company) },
  }),
  list: ({ rows, start, size }) => ({
    body: { ...success(rows), resultSet: { offset: start, limit: size, count: rows.length } },
  }),
  one: (row) => ({ body: success(row) }),
  created: (_row, id) => ({
    body: success([{ submissionID: String(id), URL: `https://api.jotform.com/submission/${id}` }]),
  }),
  updated: (_row, id) => ({
    body: success({ submissionID: String(id), URL: `https://api.jotform.com/submission/${id}` }),
  }),
  deleted: (id) => ({ body: success(`Submission #${id} deleted successfully.`) }),
  absent: problem(404, 'Submission not found'),
  refused: problem(400, 'There is no such supplier.'),
  refusal: { message: 'There is no such supplier.' },
  limited: problem(429, 'API-Limit exceeded'),
  written: {
    create: [
      {
        3: { text: 'Shelves' },
        4: { text: '99.95' },
        5: { text: 'NO' },
        6: { year: '2026', month: '05', day: '02' },
        7: { year: '2026', month: '04', day: '30', hour: '08', min: '15' },
        8: { text: '7' },
      },
    ],
    update: { 5: { text: 'YES' }, 6: { year: '2026', month: '06', day: '30' } },
  },
});

function success(content: unknown) {
  return { responseCode: 200, message: 'success', content, duration: '20ms', 'limit-left': 9_999 };
}

function problem(responseCode: number, message: string) {
  const info = 'https://api.jotform.com/docs#form-id-submissions';
  return {
    status: responseCode,
    body: { responseCode, message, content: '', duration: '10ms', info },
  };
}

function question(qid: string, name: string, type: string, more: object = {}) {
  return { qid, order: qid, name, text: name, type, required: 'No', ...more };
}

function submission(id: number) {
  return {
    id: String(id),
    form_id: '2',
    created_at: '2026-03-01 04:30:00',
    status: 'ACTIVE',
    new: '1',
  };
}

/** Returns an answer's members. A question without an answer has no `answer`. */
function answered(name: string, type: string, answer: unknown) {
  return { name, text: name, order: '1', type, ...(answer !== null && { answer }) };
}

function dateOf(time: string) {
  const [year, month, day, hour, min] = time.split(/[-T:]/);
  return hour === undefined ? { month, day, year } : { month, day, year, hour, min };
}
