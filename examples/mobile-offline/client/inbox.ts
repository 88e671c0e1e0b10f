import type { Answered } from './answers.ts';
import type { Waiting } from './outbox.ts';

/** What `documents/inbox.graphql` answers. */
export interface Inbox {
  readonly instances: {
    readonly totalCount: number;
    readonly nodes: readonly {
      readonly instanceId: string;
      readonly title: string;
      readonly amount: number;
      readonly supplier: { readonly name: string } | null;
    }[];
  };
}

const NEWS = {
  gateway: 'new from the gateway',
  unchanged: 'unchanged, so nothing was sent again',
  kept: 'kept; the gateway does not answer',
} as const;

/** Writes the inbox for people, with what they decided and was not sent yet. */
export function formatInbox({ data, from, asOfMs }: Answered<Inbox>, waiting: readonly Waiting[]): string[] {
  const { totalCount, nodes } = data.instances;
  const mark = (instanceId: string) =>
    waiting.some(({ variables }) => variables['instanceId'] === instanceId) ? '  (decided, not sent yet)' : '';
  return [
    `${totalCount} requests wait for a decision, as of ${new Date(asOfMs).toISOString()} (${NEWS[from]})`,
    ...nodes.map(
      ({ instanceId, title, amount, supplier }) =>
        `${instanceId.padStart(6)}  ${amount.toFixed(2).padStart(10)} EUR  ${title}${supplier ? `, ${supplier.name}` : ''}${mark(instanceId)}`,
    ),
  ];
}
