import { createFleet, DEPOTS, FORMS, type Form, type Values } from './fleet.ts';
import { pageOf } from './listing.ts';
import { type Call, isObject, json, parseBody, Refusal, type Reply } from './wire.ts';

/** How values are written to the platform: their members alone, or a sequence of name and value. */
export type Written = 'flat' | 'sequence';

export interface InstanceOptions {
  /** The path that `/v1.0` is below. */
  readonly base: string;
  readonly written: Written;
  readonly hasOneOf: boolean;
  readonly isCapped: boolean;
}

const MANY_VEHICLES = 120;

/** The form and instance operations, by the interface's names. */
export function createInstances({ base, written, hasOneOf, isCapped }: InstanceOptions) {
  const fleet = createFleet(isCapped ? MANY_VEHICLES : undefined);
  const forms = isCapped ? [...FORMS, ...DEPOTS] : FORMS;
  const search = { hasOneOf, isCapped };

  const findForm = (formId: string): Form => {
    const form = forms.find(({ id }) => id === formId);
    if (form === undefined) throw new Refusal(404, 'FORM_UNKNOWN', `There is no form "${formId}".`);
    return form;
  };
  const rowsOf = (formId: string): Map<number, Values> => fleet.get(findForm(formId).id) ?? new Map();
  const find = (formId: string, instanceId: string): Values => {
    const values = rowsOf(formId).get(Number(instanceId));
    if (values === undefined) throw new Refusal(404, 'INSTANCE_UNKNOWN', `There is no ${formId} ${instanceId}.`);
    return values;
  };
  const valuesOf = (formId: string, call: Call): Values => {
    const values = valuesIn(parseBody(call), written);
    const known = findForm(formId).fields.map(({ id }) => id);
    const unknown = Object.keys(values).find((name) => !known.includes(name));
    if (unknown !== undefined) throw new Refusal(400, 'FIELD_UNKNOWN', `A ${formId} has no field "${unknown}".`);
    return values;
  };
  const hrefOf = (formId: string, instanceId: number | string) =>
    `${base}/v1.0/forms/${formId}/instances/${instanceId}`;

  return {
    getForms(query: URLSearchParams): Reply {
      // Summaries: only single forms have fields.
      const rows = forms.map(({ id, title, revision }) => ({ id, title, revision }));
      return json(200, pageOf(rows, query, search).rows);
    },

    getForm(formId: string): Reply {
      const links = [{ rel: 'instances', href: `${base}/v1.0/forms/${formId}/instances`, method: 'GET' }];
      return json(200, { ...findForm(formId), links });
    },

    getFormIntances(formId: string, query: URLSearchParams): Reply {
      const rows = [...rowsOf(formId)].map(([id, values]) => ({ id, ...values }));
      const { rows: found, total, number, size } = pageOf(rows, query, search);
      const href = (page: number) => `${base}/v1.0/forms/${formId}/instances?page-number=${page}&per-page=${size}`;
      const instances = found.map(({ id, ...values }) => ({
        idInstance: id,
        fields: sequenceOf(values),
        _links: {
          self: { href: hrefOf(formId, id), methods: ['GET', 'PUT', 'PATCH', 'DELETE'] },
          form: { href: `${base}/v1.0/forms/${formId}` },
        },
      }));
      if (isCapped) return json(200, instances);
      const next = number * size < total ? { next: { href: href(number + 1) } } : {};
      const page = { number, size, totalElements: total };
      return json(200, { _embedded: { instances }, _links: { self: { href: href(number) }, ...next }, page });
    },

    createFormIntance(formId: string, call: Call): Reply {
      const rows = rowsOf(formId);
      const id = Math.max(0, ...rows.keys()) + 1;
      rows.set(id, { ...emptyOf(findForm(formId)), ...valuesOf(formId, call) });
      return { status: 201, headers: { location: hrefOf(formId, id) } };
    },

    getFormIntance(formId: string, instanceId: string): Reply {
      const self = `<${hrefOf(formId, instanceId)}>; rel="self"`;
      const link = ['GET', 'PUT', 'PATCH'].map((method) => `${self}; method="${method}"`).join(', ');
      return json(200, sequenceOf(find(formId, instanceId)), { link });
    },

    updateFormIntance(formId: string, instanceId: string, call: Call): Reply {
      Object.assign(find(formId, instanceId), emptyOf(findForm(formId)), valuesOf(formId, call));
      return { status: 202 };
    },

    updateValuesOfFormIntance(formId: string, instanceId: string, call: Call): Reply {
      Object.assign(find(formId, instanceId), valuesOf(formId, call));
      return { status: 202 };
    },

    deleteFormIntance(formId: string, instanceId: string): Reply {
      find(formId, instanceId);
      rowsOf(formId).delete(Number(instanceId));
      return { status: 204 };
    },
  };
}

const sequenceOf = (values: Values) => Object.entries(values).map(([name, value]) => ({ name, value }));
const emptyOf = ({ fields }: Form): Values => Object.fromEntries(fields.map(({ id }) => [id, null]));

/**
 * Reads values in the one shape that the platform takes.
 *
 * @throws {Refusal} for any other.
 */
function valuesIn(body: unknown, written: Written): Values {
  if (written === 'flat') {
    if (isObject(body)) return { ...body };
  } else if (Array.isArray(body) && body.every(isEntry)) {
    return Object.fromEntries(body.map(({ name, value }) => [name, value]));
  }
  throw new Refusal(400, 'VALUES_UNREADABLE', `Values are written ${written} here.`);
}

function isEntry(entry: unknown): entry is { readonly name: string; readonly value: unknown } {
  return isObject(entry) && typeof entry['name'] === 'string' && 'value' in entry && Object.keys(entry).length === 2;
}
