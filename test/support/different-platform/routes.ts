import { createInstances, type InstanceOptions } from './instances.ts';
import { rules } from './rules.ts';
import { type Call, Refusal, type Reply } from './wire.ts';

interface Place {
  readonly call: Call;
  readonly query: URLSearchParams;
  /** What stands in the path, decoded, from left to right. */
  readonly ids: readonly [string, string];
}

type Route = readonly [method: string, path: RegExp, handle: (place: Place) => Reply];

/** Makes the function that does the operations of forms, instances and rules. */
export function createRouter(options: InstanceOptions): (call: Call) => Reply {
  const { base } = options;
  const routes = [...formRoutes(options), ...RULE_ROUTES];

  return (call) => {
    const { pathname, searchParams: query } = new URL(call.path, 'http://localhost');
    const below = pathname.startsWith(`${base}/v1.0/`) ? pathname.slice(`${base}/v1.0`.length) : '';
    for (const [method, path, handle] of routes) {
      const [, ...found] = path.exec(below) ?? [];
      const [first = '', second = ''] = found.map(decodeURIComponent);
      if (method === call.method && path.test(below)) return handle({ call, query, ids: [first, second] });
    }
    throw new Refusal(404, 'PATH_UNKNOWN', 'There is nothing here.');
  };
}

function formRoutes(options: InstanceOptions): Route[] {
  const forms = createInstances(options);
  const list = /^\/forms\/([^/]+)\/instances$/;
  const one = /^\/forms\/([^/]+)\/instances\/(\d+)$/;
  return [
    ['GET', /^\/forms$/, ({ query }) => forms.getForms(query)],
    ['GET', /^\/forms\/([^/]+)$/, ({ ids: [form] }) => forms.getForm(form)],
    ['GET', list, ({ ids: [form], query }) => forms.getFormIntances(form, query)],
    ['POST', list, ({ ids: [form], call }) => forms.createFormIntance(form, call)],
    ['GET', one, ({ ids }) => forms.getFormIntance(...ids)],
    ['PUT', one, ({ ids, call }) => forms.updateFormIntance(...ids, call)],
    ['PATCH', one, ({ ids, call }) => forms.updateValuesOfFormIntance(...ids, call)],
    ['DELETE', one, ({ ids }) => forms.deleteFormIntance(...ids)],
  ];
}

const RULE_ROUTES: readonly Route[] = [
  ['PUT', /^\/rules\/([^/]+)\/get-parameters$/, ({ ids: [rule] }) => rules.getParameters(rule)],
  ['PUT', /^\/rules\/([^/]+)\/execute$/, ({ ids: [rule], call }) => rules.execute(rule, call)],
];
