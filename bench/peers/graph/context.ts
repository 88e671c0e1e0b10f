import DataLoader from 'dataloader';

import type { Form, Owner, Platform } from '../platform.ts';

/** What the resolvers of one operation share: the platform, and a DataLoader for each thing that has an id. */
export interface Context {
  readonly platform: Platform;
  readonly forms: DataLoader<string, Form>;
  readonly owners: DataLoader<number, Owner>;
}

/** Makes a context for each operation, as DataLoader's documentation asks. */
export const createContexts = (platform: Platform) => (): Context => ({
  platform,
  forms: new DataLoader((ids) => Promise.all(ids.map(platform.form))),
  owners: new DataLoader((ids) => Promise.all(ids.map(platform.owner))),
});
