import { type Context, defineExtension, ExtensionError } from 'caseway/extension';

const DAY_MS = 86_400_000;

/** The purchasing team's part of the graph. */
export default defineExtension({
  typeDefs: /* GraphQL */ `
    extend type PurchaseRequest {
      "Whole days since it was created, or \`null\` if that is unknown."
      ageDays: Int

      "Its title and supplier. The suppliers of a list are read together."
      label: String!

      "Its amount in another currency at the latest rate. A list costs one call for each currency."
      amountIn("Three letters, such as \`USD\`." currency: String!): Decimal
    }

    extend type Query {
      "The value of one euro. One call."
      exchangeRate("Three letters, such as \`USD\`." currency: String!): Decimal!
    }

    extend type Mutation {
      "Creates a purchase request and starts its approval. Two upstream calls."
      submitPurchaseRequest(input: SubmitPurchaseRequestInput!): SubmitPurchaseRequestPayload!
    }

    "Input of \`submitPurchaseRequest\`."
    input SubmitPurchaseRequestInput {
      title: String!
      amount: Decimal!
      "The \`instanceId\` of an employee."
      requester: ID!
    }

    "Payload of \`submitPurchaseRequest\`."
    type SubmitPurchaseRequestPayload {
      purchaseRequest: PurchaseRequest!
      caseId: ID!
      "The name of the current activity."
      activity: String
    }
  `,

  resolvers: {
    PurchaseRequest: {
      ageDays: {
        needs: '{ createdAt }',
        resolve({ createdAt }) {
          return createdAt && Math.floor((Date.now() - Date.parse(createdAt)) / DAY_MS);
        },
      },

      label: {
        needs: '{ title supplier { name } }',
        resolve: ({ title, supplier }) => `${title} (${supplier?.name ?? 'no supplier'})`,
      },

      amountIn: {
        needs: '{ amount }',
        calls: 1,
        async batch(requests, { currency }, { fetch }) {
          const rate = Number(await readRate(currency, fetch));
          return requests.map(({ amount }) => amount && (Number(amount) * rate).toFixed(2));
        },
      },
    },

    Query: {
      exchangeRate: {
        calls: 1,
        resolve: (_source, { currency }, { fetch }) => readRate(currency, fetch),
      },
    },

    Mutation: {
      submitPurchaseRequest: {
        calls: 2,
        async resolve(_source, { input: { title, amount, requester } }, { query, log }) {
          const values = { title, amount, requester, quantity: 1, status: 'SUBMITTED' };
          const created = await query(CREATE, { input: { values } });
          const purchaseRequest = created.createPurchaseRequest.instance;
          const number = Number(purchaseRequest.instanceId);
          const caseValues = { purchaseRequest: number, title, amount: Number(amount) };
          const started = await query(START, {
            input: { process: 'purchase-approval', values: caseValues },
          });
          log.info({ purchaseRequest: number }, 'a purchase request was submitted');
          const { caseId, activity } = started.startCase.case;
          return { purchaseRequest, caseId, activity: activity?.name };
        },
      },
    },
  },
});

const CREATE = /* GraphQL */ `
  mutation Create($input: CreatePurchaseRequestInput!) {
    createPurchaseRequest(input: $input) { instance { id instanceId } }
  }
`;

const START = /* GraphQL */ `
  mutation Start($input: StartCaseInput!) {
    startCase(input: $input) { case { caseId activity { activityId name } } }
  }
`;

const RATES_URL = process.env['RATES_URL'] ?? 'http://127.0.0.1:4010';

/**
 * Reads a currency's rate from the rate service.
 *
 * @throws {ExtensionError} RATES_UNAVAILABLE when the service fails.
 */
async function readRate(currency: string, fetch: Context['fetch']): Promise<string> {
  try {
    const url = `${RATES_URL}/rates/${encodeURIComponent(currency)}`;
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const { rate } = (await response.json()) as { readonly rate: string };
    return rate;
  } catch (cause) {
    const message = 'The rate service does not respond.';
    throw new ExtensionError('RATES_UNAVAILABLE', message, { retryable: true, cause });
  }
}
