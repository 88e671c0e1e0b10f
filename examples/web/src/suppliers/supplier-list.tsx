import { useQuery } from '@apollo/client/react';

import { graphql } from '../__generated__/index.ts';
import { Problems } from '../graphql/problems.tsx';
import { hrefOf } from '../route.ts';

const SUPPLIERS = graphql(`
  query Suppliers {
    suppliers(orderBy: [{ field: NAME, direction: ASC }], first: 100) {
      nodes {
        ...SupplierFacts
      }
    }
  }
`);

export function SupplierList() {
  const { data, error, loading, refetch } = useQuery(SUPPLIERS, { errorPolicy: 'all' });
  return (
    <div aria-busy={loading}>
      <title>Suppliers – Purchase requests</title>
      <h1>Suppliers</h1>
      <Problems error={error} retry={() => refetch()} />
      <ul className="tiles">
        {data?.suppliers?.nodes.map(({ id, instanceId, name, category, country }) => (
          <li key={id} className="card">
            <a href={hrefOf(`/suppliers/${instanceId}`)}>{name}</a>
            <small>
              {category}, {country}
            </small>
          </li>
        ))}
      </ul>
    </div>
  );
}
