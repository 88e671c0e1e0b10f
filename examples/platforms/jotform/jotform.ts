import { defineAdapter, type Json, type JsonObject } from 'caseway/adapter';

/** The ids of the questions (GET /form/ID/questions), and the forms that they refer to. */
const IDS: Record<string, string> = {
  title: '3',
  amount: '4',
  paid: '5',
  due: '6',
  placedAt: '7',
  supplier: '8',
};
const TARGETS: Record<string, string> = { supplier: 'supplier' };
const DATES = ['due', 'placedAt'];

interface Question {
  readonly name: string;
  readonly type: string;
  readonly allowTime?: string;
  readonly answer?: Json;
}

const toField = (question: Question & JsonObject) => {
  const { name, type, allowTime } = question;
  const target = TARGETS[name];
  if (target) return { ...question, type: 'reference', reference: target };
  return type === 'control_datetime'
    ? { ...question, type: allowTime === 'Yes' ? 'datetime' : 'date' }
    : question;
};
const toValue = ({ type, answer = null }: Question): Json => {
  if (type === 'control_yesno') return answer && answer === 'YES';
  if (type !== 'control_datetime' || !answer) return answer;
  const { year, month, day, hour, min } = answer as Record<string, string>;
  return `${year}-${month}-${day}${hour ? `T${hour}:${min}` : ''}`;
};
const toRow = ({ answers, ...row }: JsonObject): JsonObject => {
  const questions = Object.values(answers as Record<string, Question & JsonObject>);
  return {
    ...row,
    answers: Object.fromEntries(questions.map((question) => [question.name, toValue(question)])),
  };
};
const toAnswer = ([name, value]: [string, Json]): [string, Json] => {
  const id = IDS[name];
  if (id === undefined) throw new Error(`no question is called ${name}`);
  if (typeof value === 'boolean') return [id, { text: value ? 'YES' : 'NO' }];
  if (!DATES.includes(name) || !value) return [id, { text: value }];
  const [year = '', month = '', day = '', hour, min = ''] = String(value).split(/[-T:]/);
  return [id, hour ? { year, month, day, hour, min } : { year, month, day }];
};

export default defineAdapter({
  request({ operation, ids, body }) {
    if (!body || !('formId' in ids)) return {};
    const answers = Object.fromEntries(Object.entries(body).map(toAnswer));
    return { body: operation === 'createFormIntance' ? [answers] : answers };
  },
  response({ operation }, { body }) {
    const { content } = (body ?? {}) as { content?: Json };
    if (!content) return {};
    switch (operation) {
      case 'getForm':
        return {
          body: { fields: (Object.values(content) as (Question & JsonObject)[]).map(toField) },
        };
      case 'getFormIntances':
        return { body: { content: (content as JsonObject[]).map(toRow) } };
      case 'getFormIntance':
        return { body: { content: toRow(content as JsonObject) } };
      case 'createFormIntance':
        return { body: { content: (content as JsonObject[])[0] ?? null } };
      default:
        return {};
    }
  },
});
