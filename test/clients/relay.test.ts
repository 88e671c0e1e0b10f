import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import relay from 'relay-runtime';
import { expect, it } from 'vitest';

import { writeFolder } from '../support/folder.ts';
import { FIRST, startTypedGateway, type TypedGateway, WHERE } from './support.ts';

/** A page of Relay: a list that reads on, a fragment that can be fetched again by its node, and a change. */
const PAGE = `
import { graphql } from 'relay-runtime';

graphql\`
  query pageQuery($where: PurchaseRequestFilterInput, $first: Int!) {
    ...page_list @arguments(where: $where, first: $first)
  }
\`;
graphql\`
  fragment page_list on Query
  @refetchable(queryName: "pageListQuery")
  @argumentDefinitions(
    where: { type: "PurchaseRequestFilterInput" }
    first: { type: "Int", defaultValue: 10 }
    after: { type: "String" }
  ) {
    purchaseRequests(where: $where, orderBy: [{ amount: DESC }], first: $first, after: $after)
      @connection(key: "page_purchaseRequests") {
      edges { node { ...page_request } }
    }
  }
\`;
graphql\`
  fragment page_request on PurchaseRequest @refetchable(queryName: "pageRequestQuery") {
    instanceId
    amount
    status
    supplier { name country }
    requester { name manager { name } }
  }
\`;
graphql\`
  mutation pageRejectMutation($input: UpdateInstanceInput!) {
    updateInstance(input: $input) { instance { ... on PurchaseRequest { status } } }
  }
\`;
`;
const SCALARS = {
  Date: 'string',
  DateTime: 'string',
  Decimal: 'string',
  JSON: 'unknown',
  JSONObject: 'object',
  Long: 'number',
};
const COMPILER = join(import.meta.dirname, 'node_modules/relay-compiler/cli.js');

/** Compiles the page over a schema, and gives what was made of an operation. */
async function compile(sdl: string) {
  const folder = writeFolder({
    'schema.graphql': sdl,
    'src/page.js': PAGE,
    'relay.json': {
      src: './src',
      schema: './schema.graphql',
      language: 'javascript',
      artifactDirectory: './made',
      eagerEsModules: true,
      customScalarTypes: SCALARS,
    },
    'made/package.json': { type: 'module' },
  });
  await promisify(execFile)(process.execPath, [COMPILER, 'relay.json'], { cwd: folder });
  const made = async (name: string) =>
    (await import(join(folder, `made/${name}.graphql.js`))).default as relay.GraphQLTaggedNode;
  return { made };
}

function createEnvironment({ execute }: TypedGateway) {
  const fetchQuery: relay.FetchFunction = async ({ text }, variables) =>
    (await execute(text ?? '', variables)) as unknown as relay.GraphQLResponse;
  const store = new relay.Store(new relay.RecordSource());
  return new relay.Environment({ network: relay.Network.create(fetchQuery), store });
}

it('Relay’s compiler takes the composed schema, and its runtime runs what it makes of it', async () => {
  const gateway = await startTypedGateway();
  const { made } = await compile(gateway.sdl);
  const environment = createEnvironment(gateway);
  const [page, list, request, reject] = await Promise.all([
    made('pageQuery'),
    made('page_list'),
    made('page_request'),
    made('pageRejectMutation'),
  ]);
  const variables = { where: WHERE, first: 2 };
  const query = relay.createOperationDescriptor(relay.getRequest(page), variables);

  await relay.fetchQuery(environment, page, variables).toPromise();
  const read = () => {
    const whole = environment.lookup(query.fragment).data;
    const { purchaseRequests } = lookUp(environment, list, whole);
    return lookUp(environment, request, purchaseRequests.edges[0].node);
  };
  const before = read();
  const input = { formId: 'purchase-request', instanceId: FIRST.instanceId, values: { status: 'rejected' } };
  const { promise, resolve: onCompleted, reject: onError } = Promise.withResolvers<unknown>();
  relay.commitMutation(environment, { mutation: reject, variables: { input }, onCompleted, onError });
  await promise;

  expect(before).toMatchObject(FIRST);
  expect(read()).toMatchObject({ ...FIRST, status: 'REJECTED' });
});

/** Reads a fragment from the store, which must hold all of it. */
// biome-ignore lint/suspicious/noExplicitAny: what a compiled fragment reads has no type here.
function lookUp(environment: relay.Environment, fragment: relay.GraphQLTaggedNode, ref: any): any {
  const selector = relay.getSingularSelector(relay.getFragment(fragment), ref);
  if (selector == null) throw new Error('The fragment is not where it should be.');
  const { data, isMissingData } = environment.lookup(selector);
  if (isMissingData) throw new Error('The store lacks a part of the fragment.');
  return data;
}
