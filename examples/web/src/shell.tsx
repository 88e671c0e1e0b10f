import { useEffect, useRef, useState } from 'react';
import { useMutation } from 'urql';

import { graphql } from './__generated__/index.ts';
import { Inbox } from './inbox/inbox.tsx';
import { claimTab } from './request/kept.ts';
import { RequestPage } from './request/request-page.tsx';
import { addressOf, usePlace } from './shared/place.ts';
import { Problems } from './shared/problems.tsx';

const SIGN_OUT = graphql(`
  mutation SignOut {
    signOut {
      viewer {
        name
      }
    }
  }
`);

interface ShellProps {
  readonly name: string;
  readonly onSignedOut: () => void;
}

/** What is around every page: where one is, who one is, and the way out. */
export function Shell({ name, onSignedOut }: ShellProps) {
  const [{ error, fetching }, signOut] = useMutation(SIGN_OUT);
  const { path } = usePlace();
  useState(() => claimTab(name));
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);

  // biome-ignore lint/correctness/useExhaustiveDependencies: who goes to another page goes on reading at its beginning.
  useEffect(() => {
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [path]);

  const leave = async () => {
    const { data } = await signOut({});
    if (!data?.signOut) return;
    sessionStorage.clear();
    onSignedOut();
  };

  return (
    <>
      <header className="bar">
        <a className="brand" href={addressOf('/')}>
          Purchase requests
        </a>
        <span className="who">{name}</span>
        <button type="button" onClick={leave} disabled={fetching}>
          Sign out
        </button>
      </header>
      <main ref={main} tabIndex={-1}>
        <Problems error={error} retry={leave} />
        <Page path={path} />
      </main>
    </>
  );
}

function Page({ path }: { readonly path: string }) {
  const [, instanceId] = /^\/requests\/(\d+)$/.exec(path) ?? [];
  if (instanceId !== undefined) return <RequestPage key={instanceId} instanceId={instanceId} />;
  if (path === '/') return <Inbox />;
  return (
    <p>
      There is no such page. <a href={addressOf('/')}>All requests</a>
    </p>
  );
}
