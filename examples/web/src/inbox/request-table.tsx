import { type FragmentType, getFragmentData, graphql } from '../__generated__/index.ts';
import { formatDay, formatMoney } from '../shared/format.ts';
import { addressOf } from '../shared/place.ts';
import { Status } from '../shared/status.tsx';
import { type Choices, COLUMNS, type Column, writeChoices } from './choices.ts';

const ROW = graphql(`
  fragment RequestRow on PurchaseRequest {
    instanceId
    title
    amount
    neededBy
    urgent
    status
    supplier {
      name
      country
    }
    requester {
      name
    }
  }
`);

interface RequestTableProps {
  readonly rows: readonly FragmentType<typeof ROW>[];
  readonly choices: Choices;
}

export function RequestTable({ rows, choices }: RequestTableProps) {
  return (
    <table className="requests">
      <thead>
        <tr>
          <Head column="title" choices={choices} />
          <th scope="col">Supplier</th>
          <th scope="col">Requested by</th>
          <Head column="amount" choices={choices} />
          <Head column="neededBy" choices={choices} />
          <Head column="status" choices={choices} />
        </tr>
      </thead>
      <tbody>
        {getFragmentData(ROW, rows).map(
          ({ instanceId, title, amount, neededBy, urgent, status, supplier, requester }) => (
            <tr key={instanceId}>
              <th scope="row">
                <a href={addressOf(`/requests/${instanceId}`)}>{title}</a>
                {urgent && <span className="urgent">Urgent</span>}
              </th>
              <td data-label="Supplier">{supplier ? `${supplier.name}, ${supplier.country}` : '–'}</td>
              <td data-label="Requested by">{requester?.name ?? '–'}</td>
              <td data-label="Amount" className="number">
                {formatMoney(amount)}
              </td>
              <td data-label="Needed by">{formatDay(neededBy)}</td>
              <td data-label="Status">
                <Status status={status} />
              </td>
            </tr>
          ),
        )}
      </tbody>
    </table>
  );
}

/** A column's name, which orders by it; once more turns the order round. */
function Head({ column, choices }: { readonly column: Column; readonly choices: Choices }) {
  const isChosen = choices.column === column;
  const isDescending = isChosen && !choices.isDescending;
  const order = choices.isDescending ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={isChosen ? order : 'none'} className={column === 'amount' ? 'number' : undefined}>
      <a href={addressOf('/', writeChoices(choices, { column, isDescending }))}>
        {COLUMNS[column]}
        <span aria-hidden="true">{isChosen ? (choices.isDescending ? ' ↓' : ' ↑') : ''}</span>
      </a>
    </th>
  );
}
