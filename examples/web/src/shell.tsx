import { useMutation, useQuery } from '@apollo/client/react';
import { useEffect, useRef } from 'react';

import { graphql } from './__generated__/index.ts';
import { Problems } from './graphql/problems.tsx';
import { CreateRequest } from './request/create-request.tsx';
import { RequestDetail } from './request/request-detail.tsx';
import { RequestList } from './requests/request-list.tsx';
import { hrefOf, useRoute, useScrollPosition } from './route.ts';
import { VIEWER } from './session/viewer.ts';
import { SupplierDetail } from './suppliers/supplier-detail.tsx';
import { SupplierList } from './suppliers/supplier-list.tsx';

const SIGN_OUT = graphql(`
  mutation SignOut {
    signOut {
      viewer {
        name
      }
    }
  }
`);

/** The header and the screen of the current route. */
export function Shell({ onSignedOut }: { readonly onSignedOut: () => void }) {
  const { data } = useQuery(VIEWER);
  const [signOut, { error, loading }] = useMutation(SIGN_OUT, { errorPolicy: 'all' });
  const route = useRoute();
  useScrollPosition(route);
  const main = useFocusOnChange<HTMLElement>(route.path);

  const leave = async () => {
    const { data } = await signOut();
    if (data?.signOut) onSignedOut();
  };

  return (
    <>
      <header className="bar">
        <nav aria-label="Main">
          {Object.entries(SECTIONS).map(([path, name]) => (
            <a
              key={path}
              href={hrefOf(path)}
              aria-current={sectionOf(route.path) === path ? 'page' : undefined}
            >
              {name}
            </a>
          ))}
        </nav>
        {data?.viewer && (
          <>
            <span className="who">{data.viewer.name}</span>
            <button type="button" onClick={leave} disabled={loading}>
              Sign out
            </button>
          </>
        )}
      </header>
      <main ref={main} tabIndex={-1}>
        <Problems error={error} retry={leave} />
        <Screen path={route.path} />
      </main>
    </>
  );
}

const SECTIONS = { '/': 'Requests', '/suppliers': 'Suppliers' };
const sectionOf = (path: string) => (path.startsWith('/suppliers') ? '/suppliers' : '/');

function Screen({ path }: { readonly path: string }) {
  const [, section, id] = path.split('/');
  if (path === '/') return <RequestList />;
  if (path === '/requests/new') return <CreateRequest />;
  if (path === '/suppliers') return <SupplierList />;
  if (section === 'requests' && id) return <RequestDetail key={id} instanceId={id} />;
  if (section === 'suppliers' && id) return <SupplierDetail key={id} instanceId={id} />;
  return (
    <p>
      This page does not exist. <a href={hrefOf('/')}>All purchase requests</a>
    </p>
  );
}

/**
 * Moves the focus to an element when a value changes, so that keyboard and screen reader start at
 * the top of a new screen.
 */
function useFocusOnChange<E extends HTMLElement>(value: string) {
  const element = useRef<E>(null);
  const last = useRef(value);
  useEffect(() => {
    if (last.current !== value) element.current?.focus({ preventScroll: true });
    last.current = value;
  }, [value]);
  return element;
}
