import { graphql } from '../__generated__/index.ts';

/** The signed-in user. The gateway answers this without a call to the platform. */
export const VIEWER = graphql(`
  query Viewer {
    viewer {
      name
    }
  }
`);
