import { useQuery } from 'urql';

import { graphql } from '../__generated__/index.ts';
import { Problems } from '../shared/problems.tsx';
import { Shell } from '../shell.tsx';
import { SignIn } from './sign-in.tsx';

const VIEWER = graphql(`
  query Viewer {
    viewer {
      name
    }
  }
`);

interface GateProps {
  /** Ends the visit, so that another begins. */
  readonly leave: () => void;
}

/** Lets those in who are signed in, and shows the others where to. */
export function Gate({ leave }: GateProps) {
  const [{ data, error, fetching }, ask] = useQuery({ query: VIEWER });
  if (error) {
    return (
      <main className="narrow">
        <Problems error={error} retry={() => ask({ requestPolicy: 'network-only' })} />
      </main>
    );
  }
  if (fetching || data === undefined) return <p className="waiting" aria-busy="true" />;
  if (data.viewer == null) return <SignIn onSignedIn={leave} />;
  return <Shell name={data.viewer.name} onSignedOut={leave} />;
}
