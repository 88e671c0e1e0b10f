import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryStorage } from 'caseway/client/offline';
import { relayScalars } from 'caseway/codegen';
import relay from 'relay-runtime';
import { beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';

import { createStorage } from '../client/storage.ts';
import { writeApplication } from '../support/application.ts';
import { startFormPlatform } from '../support/form-platform.ts';
import { shareGateway, startGateway } from '../support/gateway.ts';
import { generate, openPage, run } from './page.ts';

const TSC = join(import.meta.dirname, '../../node_modules/.bin/tsc');
/** Requests to decide, the dearest first. */
const LIST = { where: { status: { eq: 'SUBMITTED' } }, first: 2 };

const gateway = shareGateway({ TYPED_FORMS: '*' });

describe('docs/clients.md', () => {
  let load: ReturnType<typeof openPage>;
  beforeAll(() => {
    load = openPage(gateway.url);
  });

  it('compiles with the types of the package and of the code generators', () =>
    run(inject('page'), TSC));

  it('Apollo Client joins pages, normalizes instances by id, and shows a write in every list that contains them', async () => {
    const { client, remove } = await load('src/apollo.ts');
    const { RequestsDocument, AnyFormDocument, ApproveDocument } = await load('src/requests.ts');
    const list = { query: RequestsDocument, variables: LIST };
    const read = () => nodesOf(client.readQuery(list));

    const { data: first } = await client.query(list);
    const after = first.purchaseRequests.pageInfo.endCursor;
    await client.watchQuery(list).fetchMore({ variables: { after } });
    const joined = read();
    const [one, other] = joined;
    await client.mutate({ mutation: ApproveDocument, variables: { instanceId: one.instanceId } });
    await remove(other.instanceId);
    const any = { query: AnyFormDocument, variables: { id: one.supplier.id } };
    const { data: supplier } = await client.query(any);

    expect(joined).toHaveLength(4);
    expect(joined.slice(0, 2)).toEqual(nodesOf(first));
    expect(read()).toEqual([{ ...one, status: 'APPROVED' }, ...joined.slice(2)]);
    expect(supplier.node).toMatchObject({ formId: 'supplier', name: one.supplier.name });
    expect(client.readQuery(any)).toEqual(supplier);
    expect(client.cache.extract()).toHaveProperty([`PurchaseRequest:${one.id}`]);
  });

  it('a create with Apollo Client returns the violations of its values, and the shown list has the new record', async () => {
    const { client, create } = await load('src/apollo.ts');
    const { RequestsDocument } = await load('src/requests.ts');
    const values = {
      title: 'A new chair',
      amount: 12,
      quantity: 1,
      status: 'DRAFT',
      requester: '1',
    };
    const list = {
      query: RequestsDocument,
      variables: { where: { title: { eq: 'A new chair' } }, first: 2 },
    };
    const subscription = client.watchQuery(list).subscribe(() => undefined);
    onTestFinished(() => subscription.unsubscribe());
    await client.query(list);

    const refused = await create({ ...values, amount: -1 });
    const before = nodesOf(client.readQuery(list));
    const accepted = await create(values);

    expect(refused).toEqual({ 'values.amount': ['must be at least 0'] });
    expect([before.length, accepted]).toEqual([0, {}]);
    await expect.poll(() => nodesOf(client.readQuery(list)).length).toBe(1);
  });

  it('a browser that was offline shows its last data and sends each change once', async () => {
    const before = await startGateway({ TYPED_FORMS: '*' });
    const kept = createStorage();
    const storage = createMemoryStorage();
    const approve = (instanceId: string, expected?: object) => ({
      operation: 'Approve',
      variables: { instanceId, expected },
      record: instanceId,
    });
    const load = openPage(before.url);
    const { openReads, openQueue } = await load('src/offline.ts');
    const reads = openReads('me', kept);
    const queue = openQueue('me', storage);

    await queue.add(approve('41', { status: 'SUBMITTED' }));
    const made = await queue.flush();
    await queue.add(approve('41', { status: 'SUBMITTED' }));
    const conflict = await queue.flush();
    await queue.remove(conflict.changes[0].change.id);
    reads.save();
    await before.close();
    await queue.add(approve('42'));
    const offline = await queue.flush();
    const again = await startGateway({ TYPED_FORMS: '*' });
    const later = await openPage(again.url)('src/offline.ts');
    later.openReads('me', kept);
    const sent = await later.openQueue('me', storage).flush();

    const outcomes = [made, conflict, offline, sent].map(({ changes }) => changes[0].outcome);
    expect(outcomes).toEqual(['done', 'conflict', 'waiting', 'done']);
    expect(conflict.changes[0].change.problem.current).toMatchObject({ status: 'APPROVED' });
    expect([...kept.items.values()].join()).toContain('APPROVED');
    const { purchaseRequest } = await again.dataOf(
      '{ purchaseRequest(instanceId: 42) { status } }',
    );
    expect(purchaseRequest.status).toBe('APPROVED');
    reads.forget();
    expect(kept.items.size).toBe(0);
  });

  it('the scalars of Relay are those of the package', () => {
    const config = JSON.parse(readFileSync(join(inject('page'), 'relay.config.json'), 'utf8'));

    expect(config.customScalarTypes).toEqual(relayScalars);
  });

  it('the loop that reads everything gives each row once while others create some', async () => {
    const { readAll } = await load('src/read-all.ts');
    const { purchaseRequests } = await gateway.dataOf(
      '{ purchaseRequests(first: 100) { nodes { id } } }',
    );
    const ids = purchaseRequests.nodes.map(({ id }: Node) => id);
    const read: string[] = [];

    for await (const { id } of readAll()) {
      read.push(id);
      if (read.length === 50) await gateway.dataOf(CREATE);
    }

    expect(ids.length).toBeGreaterThan(55);
    expect(new Set(read).size).toBe(read.length);
    expect(read).toEqual(expect.arrayContaining(ids));
  });

  it('urql’s graphcache joins pages, knows every type, and shows a write in every list that contains it', async () => {
    const { client } = await load('src/urql.ts');
    const { AnyFormDocument, RequestsDocument, ApproveDocument, RemoveDocument } =
      await load('src/requests.ts');
    const warn = vi.spyOn(console, 'warn');
    const read = async (variables = {}) => {
      const query = client.query(RequestsDocument, { ...LIST, ...variables });
      return (await query.toPromise()).data;
    };

    const first = await read();
    const joined = await read({ after: first.purchaseRequests.pageInfo.endCursor });
    const [one, other] = nodesOf(joined);
    await client.mutation(ApproveDocument, { instanceId: one.instanceId }).toPromise();
    const approved = await read();
    await client.mutation(RemoveDocument, { instanceId: other.instanceId }).toPromise();
    const { data: supplier } = await client
      .query(AnyFormDocument, { id: one.supplier.id })
      .toPromise();
    const { data: unkeyed } = await client.query(WITHOUT_IDS, {}).toPromise();

    expect(nodesOf(joined)).toHaveLength(4);
    expect(nodesOf(approved)[0]).toEqual({ ...one, status: 'APPROVED' });
    expect(nodesOf(await read()).map(({ id }) => id)).not.toContain(other.id);
    expect(supplier.node).toMatchObject({ formId: 'supplier', name: one.supplier.name });
    expect(unkeyed.form.fields.length).toBeGreaterThan(0);
    expect(warn.mock.calls).toEqual([]);
  });

  it('Relay joins pages, normalizes instances by node, and removes deleted ones from its connection', async () => {
    const { environment } = await load('src/relay.ts');
    const artifact = async (name: string) =>
      (await load(`src/__generated__/${name}.graphql.ts`)).default;
    const names = ['listQuery', 'list_page', 'listMoreQuery', 'list_request'];
    const [query, list, more, request] = await Promise.all(names.map(artifact));
    const approve = await artifact('listApproveMutation');
    const remove = await artifact('listRemoveMutation');
    const root = relay.createOperationDescriptor(relay.getRequest(query), LIST);
    const release = environment.retain(root);
    const read = () => {
      const { purchaseRequests } = lookUp(
        environment,
        list,
        environment.lookup(root.fragment).data,
      );
      const edges: readonly { readonly node: object }[] = purchaseRequests.edges;
      return {
        ...purchaseRequests,
        nodes: edges.map(({ node }) => lookUp(environment, request, node)),
      };
    };
    const change = (mutation: relay.GraphQLTaggedNode, variables: relay.Variables) =>
      new Promise((resolve, reject) =>
        relay.commitMutation(environment, {
          mutation,
          variables,
          onCompleted: resolve,
          onError: reject,
        }),
      );

    await relay.fetchQuery(environment, query, LIST).toPromise();
    const before = read();
    const after = before.pageInfo.endCursor;
    await relay.fetchQuery(environment, more, { ...LIST, after }).toPromise();
    const joined = read();
    const [one, other] = joined.nodes;
    await change(approve, {
      input: { instanceId: one.instanceId, values: { status: 'APPROVED' } },
    });
    await change(remove, { input: { instanceId: other.instanceId }, connections: [joined.__id] });

    expect([before.nodes.length, joined.nodes.length]).toEqual([2, 4]);
    expect(read().nodes).toEqual([{ ...one, status: 'APPROVED' }, ...joined.nodes.slice(2)]);
    release.dispose();
  });
});

it('the generated types of a generic query stay few for many forms, as docs/clients.md generates them', async () => {
  const forms = Array.from({ length: 60 }, (_, n) => ({
    idForm: `form-${n}`,
    fields: [1, 2, 3].map((step) => ({
      name: `ref${step}`,
      type: 'reference',
      reference: `form-${(n + step) % 60}`,
    })),
  }));
  const { env } = await startFormPlatform(forms);
  const { url } = await startGateway(env);
  const folder = writeApplication({
    'codegen.ts': readFileSync(join(inject('page'), 'codegen.ts'), 'utf8'),
    'schema.graphql': await (await fetch(`${url}/schema.graphql`)).text(),
    'src/any.graphql': GENERIC,
  });

  await generate(folder);

  // Each form and each pair of forms would be 3,600.
  const lines = readFileSync(join(folder, 'src/requests.ts'), 'utf8').split('\n');
  expect(lines.length).toBeLessThan(100);
});

const CREATE = `mutation {
  createPurchaseRequest(input: {
    values: { title: "New", amount: 1, quantity: 1, status: DRAFT, requester: 1 }
  }) { instance { id } }
}`;

const GENERIC = `query Generic {
  instances(formId: "form-0") { nodes { id value(field: "a") reference(field: "ref1") { id value(field: "a") } } }
}`;

/** Objects that have no `id`. */
const WITHOUT_IDS = `{
  form(formId: "supplier") { id fields { name label } links { rel } }
  rule(component: "approval-level", version: "1.0") { component version parameters { name } }
  viewer { name }
}`;

interface Node {
  readonly id: string;
  readonly instanceId: string;
  readonly supplier: { readonly id: string; readonly name: string };
}

type Nodes = readonly [Node, Node, ...Node[]];

const nodesOf = ({ purchaseRequests }: { purchaseRequests: { edges: { node: Node }[] } }) =>
  purchaseRequests.edges.map(({ node }) => node) as unknown as Nodes;

/** Reads a fragment from the store, which must hold all of it. */
// biome-ignore lint/suspicious/noExplicitAny: the data of a compiled fragment has no type here.
function lookUp(environment: relay.Environment, fragment: relay.GraphQLTaggedNode, ref: any): any {
  const selector = relay.getSingularSelector(relay.getFragment(fragment), ref);
  if (selector == null) throw new Error('The fragment is not where it should be.');
  const { data, isMissingData } = environment.lookup(selector);
  if (isMissingData) throw new Error('The store lacks a part of the fragment.');
  return data;
}
