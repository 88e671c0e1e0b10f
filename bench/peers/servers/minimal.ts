import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeExecutableSchema } from '@graphql-tools/schema';
import DataLoader from 'dataloader';
import { fastify } from 'fastify';
import { parse, validate } from 'graphql';
import { type CompiledQuery, compileQuery } from 'graphql-jit';
import { pino } from 'pino';
import { Pool } from 'undici';

import { host, port } from './start.ts';

// The smallest gateway that answers Caseway's generic graph: API keys, DataLoaders, compiled operations and a line of log. It shows
// what the parts cost by themselves. It has no limits, no cache, and no answers to failures.

interface Definition {
  readonly idForm: string;
  readonly fields: readonly { readonly name: string; readonly reference?: string }[];
}
interface Row {
  readonly idInstance: number;
  readonly values: Readonly<Record<string, unknown>>;
}
interface Instance extends Omit<Row, 'idInstance'> {
  readonly formId: string;
  readonly instanceId: number;
}
type Page = { readonly items: readonly Row[]; readonly total: number };
type Loaders = ReturnType<typeof createLoaders>;

const { UPSTREAM_URL = '', CALLER_KEYS = '' } = process.env;
const SCHEMA = join(import.meta.dirname, '../../../schema');
const callers = new Map(CALLER_KEYS.split(',').map((entry) => entry.split(':').reverse() as [string, string]));
const pool = new Pool(UPSTREAM_URL, { connections: 128 });
const headers = { accept: 'application/json', authorization: 'Bearer a-token' };

async function get<T>(path: string): Promise<T> {
  const { statusCode, body } = await pool.request({ method: 'GET', path: `/v1.0/forms/${path}`, headers });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`The platform answered ${statusCode}.`);
  return JSON.parse(text);
}

const toInstance = (formId: string, { idInstance, values }: Row): Instance => ({
  formId,
  instanceId: idInstance,
  values,
});

function createLoaders() {
  const byForm = new Map<string, DataLoader<string, Instance | undefined>>();
  const readForm = async (formId: string) => ({ ...(await get<Definition>(formId)), formId });
  const readInstances = async (formId: string, ids: readonly string[]) => {
    const { items } = await get<Page>(
      `${formId}/instances?search=idInstance=in:${ids.join('|')}&per-page=${ids.length}`,
    );
    const found = new Map(items.map((row) => [String(row.idInstance), toInstance(formId, row)]));
    return ids.map((id) => found.get(id));
  };
  return {
    forms: new DataLoader((ids: readonly string[]) => Promise.all(ids.map(readForm))),
    instances(formId: string) {
      const loader = byForm.get(formId) ?? new DataLoader((ids) => readInstances(formId, ids));
      byForm.set(formId, loader);
      return loader;
    },
  };
}

const resolvers = {
  Query: {
    form: (_root: unknown, { formId }: { formId: string }, { forms }: Loaders) => forms.load(formId),
    async instances(_root: unknown, { formId, first, page }: { formId: string; first: number; page: number }) {
      const { items, total } = await get<Page>(`${formId}/instances?page-number=${page}&per-page=${first}`);
      return { nodes: items.map((row) => toInstance(formId, row)), totalCount: total };
    },
  },
  GenericInstance: {
    value: ({ values }: Instance, { field }: { field: string }) => values[field],
    form: ({ formId }: Instance, _args: unknown, { forms }: Loaders) => forms.load(formId),
    async reference({ formId, values }: Instance, { field }: { field: string }, { forms, instances }: Loaders) {
      const { fields } = await forms.load(formId);
      const target = fields.find(({ name }) => name === field)?.reference;
      return target === undefined ? null : instances(target).load(String(values[field]));
    },
  },
  Instance: { __resolveType: () => 'GenericInstance' },
  Node: { __resolveType: () => 'GenericInstance' },
};

const schema = makeExecutableSchema({
  typeDefs: readdirSync(SCHEMA).map((file) => readFileSync(join(SCHEMA, file), 'utf8')),
  resolvers,
  resolverValidationOptions: { requireResolversToMatchSchema: 'ignore' },
});
const compiled = new Map<string, CompiledQuery>();

function compile(query: string): CompiledQuery | undefined {
  const known = compiled.get(query);
  if (known !== undefined) return known;
  const document = parse(query);
  if (validate(schema, document).length > 0) return undefined;
  const operation = compileQuery(schema, document);
  if (!('query' in operation)) return undefined;
  compiled.set(query, operation);
  return operation;
}

const log = pino(pino.destination({ dest: 1, sync: false }));
const app = fastify({ bodyLimit: 262_144 });
app.post<{ Body: { query: string; variables?: Record<string, unknown> } }>('/graphql', async (request, reply) => {
  const startedMs = performance.now();
  const caller = callers.get(createHash('sha256').update(String(request.headers['x-api-key'])).digest('hex'));
  if (caller === undefined) return reply.code(401).send({ errors: [{ message: 'Unauthenticated' }] });
  const { query, variables = {} } = request.body;
  const operation = compile(query);
  if (operation === undefined) return reply.code(400).send({ errors: [{ message: 'Invalid operation' }] });
  const answer = await operation.query({}, createLoaders(), variables);
  const durationMs = performance.now() - startedMs;
  log.info({ requestId: request.id, caller, durationMs, failed: answer.errors !== undefined });
  return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(answer));
});
await app.listen({ port, host });
