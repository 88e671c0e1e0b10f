import { createServer } from 'node:http';

import { host, platform, port } from './start.ts';

// Endpoints as a good engineer writes them by hand for exactly these screens: independent calls run at once, and one call reads
// all owners.
async function readForm(formId: string) {
  const { name, fields } = await platform.form(formId);
  return {
    form: { formId, name, fields: fields.map(({ name, label, type, required }) => ({ name, label, type, required })) },
  };
}

async function listWithOwners(formId: string, page: number) {
  const [form, instances] = await Promise.all([platform.form(formId), platform.instances(formId, page)]);
  const owners = await platform.owners([...new Set(instances.map(({ owner }) => owner))]);
  const names = new Map(owners.map(({ ownerId, name }) => [ownerId, { name }]));
  const { name } = form;
  const nodes = instances.map(({ instanceId, title, owner }) => ({
    instanceId: String(instanceId),
    title,
    form: { name },
    owner: names.get(owner) ?? null,
  }));
  return { instances: { nodes } };
}

async function listValues(formId: string, page: number) {
  const instances = await platform.instances(formId, page);
  const nodes = instances.map(({ instanceId, title, amount, open, quantity, city, street, phone, email, note }) => ({
    instanceId: String(instanceId),
    ...{ title, amount, open, quantity, city, street, phone, email, note },
  }));
  return { instances: { nodes } };
}

const ENDPOINTS: Readonly<Record<string, (formId: string, page: number) => Promise<object>>> = {
  '/W1': listWithOwners,
  '/W2': readForm,
  '/W3': async () => ({ __typename: 'Query' }),
  '/W4': listValues,
};

createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  const endpoint = ENDPOINTS[pathname];
  const respond = (status: number, body: string) =>
    response
      .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      .end(body);
  try {
    if (endpoint === undefined) throw new Error(`No endpoint at ${pathname}.`);
    const data = await endpoint(searchParams.get('formId') ?? '', Number(searchParams.get('page') ?? 1));
    respond(200, JSON.stringify({ data }));
  } catch {
    respond(502, '{"message":"bad gateway"}');
  }
}).listen(port, host);
