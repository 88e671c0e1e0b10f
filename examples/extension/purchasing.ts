import { type Context, defineExtension, ExtensionError } from 'caseway/extension';

const DAY_MS = 86_400_000;

/** The purchasing team's own part of the graph. */
export default defineExtension({
  typeDefs: /* GraphQL */ `
    extend type PurchaseRequest {
      "Whole days since it was created, or \`null\` where that is not known."
      ageDays: Int

      "Its title and who supplies it. The suppliers of a list are read together."
      label: String!

      "Its amount in another currency at the latest rate. One call for each currency, however many requests."
      amountIn("Three letters, such as \`USD\`." currency: String!): Decimal
    }

    extend type Query {
      "What one euro is worth. One call."
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
      "The activity that waits, by its name."
      activity: String
    }
  `,

  resolvers: {
    PurchaseRequest: {
      ageDays: {
        needs: '{ createdAt }',
        resolve: ({ createdAt }) => createdAt && Math.floor((Date.now() - Date.parse(createdAt)) / DAY_MS),
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
          const started = await query(START, {
            input: { process: 'purchase-approval', values: { purchaseRequest: number, title, amount: Number(amount) } },
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

/** Asks the rate service. */
async function readRate(currency: string, fetch: Context['fetch']): Promise<string> {
  try {
    const url = `${RATES_URL}/rates/${encodeURIComponent(currency)}`;
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const { rate } = (await response.json()) as { readonly rate: string };
    return rate;
  } catch (cause) {
    throw new ExtensionError('RATES_UNAVAILABLE', 'There is no rate now.', { retryable: true, cause });
  }
}
