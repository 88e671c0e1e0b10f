import { useMemo, useState } from 'react';
import { Provider } from 'urql';

import { createGraphqlClient } from '../shared/client.ts';
import { Gate } from './gate.tsx';
import { SignIn } from './sign-in.tsx';

/** One visit after the other: whoever comes next finds nothing of who was there before. */
export function Session() {
  const [{ visit, notice }, setVisit] = useState<{ visit: number; notice?: string }>({ visit: 0 });
  const leave = useMemo(
    () => (notice?: string) => setVisit((last) => ({ visit: last.visit + 1, ...(notice && { notice }) })),
    [],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: each visit has a client of its own.
  const client = useMemo(() => createGraphqlClient(() => leave(ENDED)), [visit, leave]);
  return (
    <Provider value={client}>
      {notice === undefined ? (
        <Gate key={visit} leave={leave} />
      ) : (
        <SignIn notice={notice} onSignedIn={() => leave()} />
      )}
    </Provider>
  );
}

const ENDED = 'Your session has ended. Sign in to go on where you were.';
