import { graphql } from '../__generated__/index.ts';

/** Who is signed in; the gateway answers it without a call to the platform. */
export const VIEWER = graphql(`
  query Viewer {
    viewer {
      name
    }
  }
`);
