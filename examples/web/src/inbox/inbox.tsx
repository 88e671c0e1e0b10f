import { useQuery } from 'urql';

import { graphql } from '../__generated__/index.ts';
import { usePlace } from '../shared/place.ts';
import { Problems } from '../shared/problems.tsx';
import { readChoices, toVariables } from './choices.ts';
import { Filters } from './filters.tsx';
import { Pager } from './pager.tsx';
import { RequestTable } from './request-table.tsx';

const INBOX = graphql(`
  query Inbox($where: PurchaseRequestFilterInput, $orderBy: [PurchaseRequestOrder!], $first: Int, $page: Int) {
    purchaseRequests(where: $where, orderBy: $orderBy, first: $first, page: $page) {
      totalCount
      pageInfo {
        hasNextPage
      }
      nodes {
        ...RequestRow
      }
    }
  }
`);

/** Which answers a change makes old, also where a list is empty. */
const CONTEXT = { additionalTypenames: ['PurchaseRequest'] };

/** All purchase requests that fit what was chosen, page by page. */
export function Inbox() {
  const choices = readChoices(usePlace().choices);
  const variables = toVariables(choices);
  const [{ data, error, fetching, stale }, ask] = useQuery({
    query: INBOX,
    variables,
    requestPolicy: 'cache-and-network',
    context: CONTEXT,
  });
  const list = data?.purchaseRequests;

  return (
    <>
      <title>Inbox – Purchase requests</title>
      <h1>Inbox</h1>
      <Filters key={`${choices.text} ${choices.atLeast}`} choices={choices} />
      <Problems error={error} retry={() => ask({ requestPolicy: 'network-only' })} />
      <div aria-busy={fetching || stale} className="loadable">
        <p role="status" className="count">
          {list ? countOf(list.totalCount, list.nodes.length) : fetching && 'Loading …'}
        </p>
        {list && list.nodes.length > 0 && <RequestTable rows={list.nodes} choices={choices} />}
        {list && <Pager choices={choices} total={list.totalCount} hasNext={list.pageInfo.hasNextPage} />}
      </div>
    </>
  );
}

function countOf(total: number | null | undefined, shown: number): string {
  const count = total ?? shown;
  if (count === 0) return 'No request fits.';
  return count === 1 ? '1 request' : `${count} requests`;
}
