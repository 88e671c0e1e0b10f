import { onTestFinished } from 'vitest';

import { startGateway, type TestGateway } from '../support/gateway.ts';

/** A gateway with the typed graph, and the schema that it serves to code generators. */
export interface TypedGateway extends TestGateway {
  readonly sdl: string;
}

/** Starts a gateway with types of the sandbox's forms; it ends with the test. */
export async function startTypedGateway(): Promise<TypedGateway> {
  const gateway = await startGateway({ TYPED_FORMS: '*' });
  onTestFinished(gateway.close);
  const response = await fetch(`${gateway.url}/schema.graphql`);
  return { ...gateway, sdl: await response.text() };
}

/** A list of the typed graph, as every client asks it: filtered, ordered, with references into two forms. */
export const DEAREST = `query Dearest($where: PurchaseRequestFilterInput, $first: Int) {
  purchaseRequests(where: $where, orderBy: [{ amount: DESC }], first: $first) {
    edges { node { id instanceId amount status supplier { id name country } requester { id name manager { id name } } } }
    pageInfo { endCursor hasNextPage }
  }
}`;

/** The same, changed by the platform's generic mutation, and read back with its type. */
export const REJECT = `mutation Reject($instanceId: ID!) {
  updateInstance(input: { formId: "purchase-request", instanceId: $instanceId, values: { status: "rejected" } }) {
    instance { id ... on PurchaseRequest { status } }
  }
}`;

export const WHERE = { status: { eq: 'APPROVED' }, amount: { gt: '1000' } };

/** What begins a list of these. */
export const FIRST = {
  instanceId: '5',
  amount: '18650',
  status: 'APPROVED',
  supplier: { name: 'Officine Marchetti', country: 'IT' },
  requester: { name: 'Giulia Conti' },
};
