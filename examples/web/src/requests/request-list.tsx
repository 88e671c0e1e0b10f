import { type ErrorLike, NetworkStatus } from '@apollo/client';
import { useQuery } from '@apollo/client/react';
import { useLiveList } from 'caseway/client/react-apollo';
import { useState } from 'react';

import { graphql } from '../__generated__/index.ts';
import { isForbidden } from '../graphql/errors.ts';
import { LiveSign } from '../graphql/live-sign.tsx';
import { Problems } from '../graphql/problems.tsx';
import { hrefOf, useRoute } from '../route.ts';
import type { Outcomes, Row } from './bulk-calls.ts';
import { BulkChange } from './bulk-change.tsx';
import { ExportButton } from './export-button.tsx';
import { Filters } from './filters.tsx';
import { PAGE_SIZE, readParams, toVariables } from './list-params.ts';
import { LoadMore } from './load-more.tsx';
import { RequestTable } from './request-table.tsx';

const REQUESTS = graphql(`
  query Requests(
    $where: PurchaseRequestFilterInput
    $orderBy: [PurchaseRequestOrder!]
    $first: Int
    $after: String
  ) {
    purchaseRequests(where: $where, orderBy: $orderBy, first: $first, after: $after) {
      ...RequestPage
    }
  }
`);

const LIVE_REQUESTS = graphql(`
  subscription LiveRequests(
    $where: PurchaseRequestFilterInput
    $orderBy: [PurchaseRequestOrder!]
    $first: Int
  ) {
    purchaseRequests(where: $where, orderBy: $orderBy, first: $first) {
      ...RequestPage
    }
  }
`);

graphql(`
  fragment RequestPage on PurchaseRequestConnection {
    totalCount
    pageInfo {
      endCursor
      hasNextPage
    }
    edges {
      node {
        id
        ...RequestRow
      }
    }
  }
`);

/** The gateway's longest page. Longer lists are read again with a button. */
const MAX_LIVE = 100;

/** All purchase requests that match the filter. Scrolling to the end loads another page. */
export function RequestList() {
  const params = readParams(useRoute().params);
  const variables = toVariables(params);
  const { data, previousData, error, networkStatus, fetchMore, refetch } = useQuery(REQUESTS, {
    variables,
    // A failed field does not fail its siblings: the received values are shown, and an error for
    // the missing ones.
    errorPolicy: 'all',
  });
  const [exportError, setExportError] = useState<ErrorLike>();
  const selection = useSelection();
  const list = (data ?? (error ? undefined : previousData))?.purchaseRequests;
  const rows = (list?.edges ?? []).map(({ node }) => node);
  const isLoadingMore = networkStatus === NetworkStatus.fetchMore;
  const isLoading = !isLoadingMore && networkStatus < NetworkStatus.ready;
  const first = Math.max(1, Math.ceil(rows.length / PAGE_SIZE)) * PAGE_SIZE;
  const { connection } = useLiveList({
    query: REQUESTS,
    subscription: LIVE_REQUESTS,
    // All pages on the screen as one page.
    variables: { ...variables, first },
    // Rows must not move while the user selects them.
    skip: !data?.purchaseRequests || isLoadingMore || selection.isOn || first > MAX_LIVE,
  });

  const loadMore = async () => {
    const { data, error } = await fetchMore({
      variables: { after: list?.pageInfo.endCursor },
      errorPolicy: 'all',
    });
    // Fields that the user may not see are missing on every page, so loading continues.
    const isPaused = error !== undefined && !(data?.purchaseRequests && isForbidden(error));
    return { error, isPaused };
  };

  return (
    <>
      <title>Purchase requests</title>
      <div className="title">
        <h1>Purchase requests</h1>
        <LiveSign connection={connection} />
        <button type="button" onClick={() => refetch()} disabled={isLoading}>
          Refresh
        </button>
        <ExportButton variables={variables} onError={setExportError} />
        <button type="button" hidden={selection.isOn} onClick={selection.switch}>
          Select
        </button>
        <a className="button primary" href={hrefOf('/requests/new')} aria-label="New request">
          New
        </a>
      </div>
      <Filters key={`${params.title} ${params.minAmount}`} params={params} />
      <Problems error={error} retry={() => refetch()} />
      <Problems error={exportError} />
      <div aria-busy={isLoading} className="loadable">
        <p role="status" className="count">
          {list ? formatCount(list.edges.length, list.totalCount) : isLoading && 'Loading …'}
        </p>
        {selection.isOn && (
          <BulkChange
            rows={rows}
            selected={rows.filter(({ instanceId }) => selection.selected.has(instanceId))}
            onSelect={selection.select}
            onClose={selection.switch}
            outcomes={selection.outcomes}
            onOutcomes={selection.setOutcomes}
          />
        )}
        {rows.length > 0 && (
          <RequestTable
            rows={rows}
            params={params}
            selection={selection.isOn ? selection : undefined}
          />
        )}
        {list && (
          <LoadMore
            key={JSON.stringify(params)}
            hasMore={list.pageInfo.hasNextPage}
            isLoading={isLoading || isLoadingMore}
            load={loadMore}
          />
        )}
      </div>
    </>
  );
}

/** The rows that the user has selected. Empty while selecting is off. */
function useSelection() {
  const [isOn, setIsOn] = useState(false);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [outcomes, setOutcomes] = useState<Outcomes>(new Map());
  return {
    isOn,
    selected,
    outcomes,
    setOutcomes,
    switch: () => {
      setIsOn(!isOn);
      setSelected(new Set());
      setOutcomes(new Map());
    },
    select: (rows: readonly Row[]) =>
      setSelected(new Set(rows.map(({ instanceId }) => instanceId))),
    toggle: (instanceId: string) =>
      setSelected((before) => {
        const after = new Set(before);
        if (!after.delete(instanceId)) after.add(instanceId);
        return after;
      }),
  };
}

function formatCount(shown: number, total: number | null | undefined): string {
  if (shown === 0) return 'No request matches.';
  if (total == null || total === shown) return shown === 1 ? '1 request' : `${shown} requests`;
  return `${shown} of ${total} requests`;
}
