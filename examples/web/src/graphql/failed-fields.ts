import { type ApolloCache, ApolloLink, type StoreObject } from '@apollo/client';
import { map, tap } from 'rxjs';

/** Removes empty data of a failed operation. Otherwise `null` would replace the cached data. */
export const dropEmptyData = new ApolloLink((operation, forward) =>
  forward(operation).pipe(
    map((result) => {
      const isEmpty = Object.values(result.data ?? {}).every((value) => value === null);
      return 'errors' in result && isEmpty ? { ...result, data: null } : result;
    }),
  ),
);

/**
 * Removes failed fields from the cache when the user leaves the screen with the error. The cache
 * stores a failed field as `null`, like an empty one, so the next screen would show it as empty.
 * Now the next screen requests the field again.
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

/**
 * Finds the cached field of an error: a field of the last instance on the error's path. The
 * documents have no aliases.
 */
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
