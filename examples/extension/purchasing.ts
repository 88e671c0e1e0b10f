import { defineExtension } from 'caseway/extension';

const DAY_MS = 86_400_000;

/** The purchasing team's own part of the graph. */
export default defineExtension({
  typeDefs: /* GraphQL */ `
    extend type PurchaseRequest {
      "Whole days since it was created, or \`null\` where that is not known."
      ageDays: Int

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
      case: Case!
    }
  `,

  services: {
    rates: {
      url: process.env['RATES_URL'] ?? 'http://127.0.0.1:4010',
      timeoutMs: 2_000,
      concurrency: 8,
      errorCode: 'RATES_UNAVAILABLE',
    },
  },

  resolvers: {
    PurchaseRequest: {
      ageDays: ({ createdAt }) => createdAt && Math.floor((Date.now() - createdAt.getTime()) / DAY_MS),

      amountIn: {
        calls: 1,
        async batch(requests, { currency }, { services }) {
          const { rate } = await services.rates.json(pathTo(currency));
          return requests.map(({ amount }) => amount && (Number(amount) * Number(rate)).toFixed(2));
        },
      },
    },

    Query: {
      exchangeRate: {
        calls: 1,
        resolve: async (_source, { currency }, { services }) => (await services.rates.json(pathTo(currency))).rate,
      },
    },

    Mutation: {
      submitPurchaseRequest: {
        calls: 2,
        async resolve(_source, { input: { title, amount, requester } }, { platform, log }) {
          const values = { title, amount, requester, quantity: 1, status: 'SUBMITTED' } as const;
          const created = await platform.mutation.createPurchaseRequest({ input: { values } });
          const purchaseRequest = due(created?.instance);
          const started = await platform.mutation.startCase({
            input: {
              process: 'purchase-approval',
              values: { purchaseRequest: Number(purchaseRequest.instanceId), title, amount: Number(amount) },
            },
          });
          log.info({ purchaseRequest: purchaseRequest.instanceId }, 'a purchase request was submitted');
          return { purchaseRequest, case: due(started?.case) };
        },
      },
    },
  },
});

const pathTo = (currency: string): string => `/rates/${encodeURIComponent(currency)}`;

function due<T>(value: T | null | undefined): T {
  if (value == null) throw new Error('The platform gave nothing back.');
  return value;
}
