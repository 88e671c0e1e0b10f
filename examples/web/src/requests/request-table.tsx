import type { RequestRowFragment } from '../__generated__/graphql.ts';
import { graphql } from '../__generated__/index.ts';
import { formatDay, formatMoney } from '../format.ts';
import { hrefOf } from '../route.ts';
import { type Outcomes, wordOutcome } from './bulk-calls.ts';
import { COLUMNS, type Column, type ListParams, writeParams } from './list-params.ts';
import { Status } from './status.tsx';

// A component declares its data as a fragment. Queries with such rows spread it.
graphql(`
  fragment RequestRow on PurchaseRequest {
    id
    instanceId
    title
    amount
    neededBy
    urgent
    status
    supplier {
      id
      name
      country
    }
    requester {
      id
      name
    }
  }
`);

interface RequestTableProps {
  readonly rows: readonly RequestRowFragment[];
  /** The list's order. Without it the columns do not sort. */
  readonly params?: ListParams;
  /** The selection. Without it no row can be selected. */
  readonly selection?: Selection | undefined;
}

/** The rows that the user has selected, by `instanceId`, and their outcomes. */
export interface Selection {
  readonly selected: ReadonlySet<string>;
  readonly toggle: (instanceId: string) => void;
  readonly outcomes: Outcomes;
}

export function RequestTable({ rows, params, selection }: RequestTableProps) {
  return (
    <table className="requests">
      <thead>
        <tr>
          <Head column="title" params={params} />
          <th scope="col">Supplier</th>
          <th scope="col">Requester</th>
          <Head column="amount" params={params} />
          <Head column="neededBy" params={params} />
          <Head column="status" params={params} />
        </tr>
      </thead>
      <tbody>
        {rows.map(
          ({ id, instanceId, title, amount, neededBy, urgent, status, supplier, requester }) => (
            <tr key={id}>
              <th scope="row">
                <span className="row-title">
                  {selection && (
                    <SelectRow instanceId={instanceId} title={title} selection={selection} />
                  )}
                  <span>
                    <a href={hrefOf(`/requests/${instanceId}`)}>{title}</a>
                    {urgent && <span className="urgent">Urgent</span>}
                  </span>
                </span>
              </th>
              <td data-label="Supplier">
                {supplier ? `${supplier.name}, ${supplier.country}` : '–'}
              </td>
              <td data-label="Requester">{requester?.name ?? '–'}</td>
              <td data-label="Amount" className="number">
                {formatMoney(amount)}
              </td>
              <td data-label="Needed by">{formatDay(neededBy)}</td>
              <td data-label="Status">
                <Status status={status} />
                {selection && <Outcome instanceId={instanceId} outcomes={selection.outcomes} />}
              </td>
            </tr>
          ),
        )}
      </tbody>
    </table>
  );
}

interface SelectRowProps {
  readonly instanceId: string;
  readonly title: string | null | undefined;
  readonly selection: Selection;
}

function SelectRow({ instanceId, title, selection: { selected, toggle } }: SelectRowProps) {
  return (
    <input
      type="checkbox"
      aria-label={`Select ${title}`}
      checked={selected.has(instanceId)}
      onChange={() => toggle(instanceId)}
    />
  );
}

function Outcome({
  instanceId,
  outcomes,
}: Pick<Selection, 'outcomes'> & { readonly instanceId: string }) {
  const outcome = outcomes.get(instanceId);
  return outcome && <small className="outcome">{wordOutcome(outcome)}</small>;
}

/** A column's name. A click orders by the column, a second click reverses the order. */
function Head({
  column,
  params,
}: {
  readonly column: Column;
  readonly params: ListParams | undefined;
}) {
  const className = column === 'amount' ? 'number' : undefined;
  if (params === undefined) {
    return (
      <th scope="col" className={className}>
        {COLUMNS[column].label}
      </th>
    );
  }
  const isCurrent = params.column === column;
  const isDescending = isCurrent && !params.isDescending;
  const order = params.isDescending ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={isCurrent ? order : 'none'} className={className}>
      <a href={hrefOf('/', writeParams({ ...params, column, isDescending }))}>
        {COLUMNS[column].label}
        {isCurrent && <span aria-hidden="true">{params.isDescending ? ' ↓' : ' ↑'}</span>}
      </a>
    </th>
  );
}
