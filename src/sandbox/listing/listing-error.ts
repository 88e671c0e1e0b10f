/** A `search`, `sort`, `page-number` or `per-page` that cannot be used. Its message is meant for the client. */
export class ListingError extends Error {
  override readonly name = 'ListingError';
}
