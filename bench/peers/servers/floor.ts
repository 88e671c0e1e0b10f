import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

import { createPlatform, type Form, type Instance } from '../platform.ts';
import { host, port } from './start.ts';

// The physical limit: Node forwards one call of the workload with undici. There is no GraphQL, no
// caller, no log and no metric. It answers W2 to W4, which need one call or none.
interface Request {
  readonly query: string;
  readonly variables: { readonly formId: string; readonly page: number };
}

const platform = createPlatform(process.env['UPSTREAM_URL'] ?? '');

function pickForm({ formId, name, fields }: Form) {
  const picked = fields.map(({ name, label, type, required }) => ({ name, label, type, required }));
  return { form: { formId, name, fields: picked } };
}

function pickRow(row: Instance) {
  const { instanceId, title, amount, open, quantity, city, street, phone, email, note } = row;
  return { instanceId, title, amount, open, quantity, city, street, phone, email, note };
}

async function answer({ query, variables }: Request): Promise<object> {
  if (query === '{ __typename }') return { __typename: 'Query' };
  const { formId, page } = variables;
  if (query.startsWith('query W2')) return pickForm(await platform.form(formId));
  const rows = await platform.instances(formId, page);
  return { instances: { nodes: rows.map(pickRow) } };
}

createServer((request, response) => {
  const sendError = (error: unknown) => response.writeHead(500).end(String(error));
  json(request)
    .then((body) => answer(body as Request))
    .then((data) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data }));
    })
    .catch(sendError);
}).listen(port, host);
