import { type ApolloCache, ApolloLink, type StoreObject } from '@apollo/client';
import { map, tap } from 'rxjs';

/** Without it the cache would hold `null` for an operation that failed as a whole, in place of what it held before. */
export const dropEmptyData = new ApolloLink((operation, forward) =>
  forward(operation).pipe(
    map((result) => {
      const isEmpty = Object.values(result.data ?? {}).every((value) => value === null);
      return 'errors' in result && isEmpty ? { ...result, data: null } : result;
    }),
  ),
);

/**
 * Removes fields that failed from the cache when the user leaves the screen that says so. The cache holds them as `null` like
 * those without a value, so the next screen would show that nothing is there; now it asks again, and says what fails.
 */
export const forgetFailedFields = new ApolloLink((operation, forward) =>
  forward(operation).pipe(
    tap((result) => {
      const { data } = result;
      const errors = ('errors' in result && result.errors) || [];
      if (!data || errors.length === 0) return;
      const { cache } = operation.client;
      const fields = errors.map(({ path = [] }) => findField(path, data, cache));
      const update = () => {
        for (const field of fields) cache.evict(field);
      };
      const forget = () => cache.batch({ update });
      addEventListener('hashchange', forget, { once: true });
    }),
  ),
);

/** The field that the cache holds what failed in: of the last instance on the error's path. The documents have no aliases. */
function findField(path: readonly (string | number)[], data: object, cache: ApolloCache) {
  let field = { id: 'ROOT_QUERY', fieldName: String(path[0]) };
  let value: unknown = data;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) break;
    const object = value as StoreObject;
    const id = cache.identify(object);
    if (id !== undefined) field = { id, fieldName: String(key) };
    value = object[key];
  }
  return field;
}
