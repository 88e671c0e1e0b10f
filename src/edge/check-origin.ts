import type { IncomingHttpHeaders } from 'node:http';

import { RequestError } from './request-error.ts';

/** What a browser says of a request that the page itself, or the person, made. */
const TRUSTED_SITES: readonly unknown[] = [undefined, 'same-origin', 'none'];

/**
 * Refuses requests that a browser makes for a page of another site. Fetch metadata tells, also of a plain GET; what
 * sends none is no browser, or too old for it and then still says its `Origin` with a POST.
 *
 * @throws {RequestError} 403.
 */
export function checkOrigin({ host, origin, 'sec-fetch-site': site }: IncomingHttpHeaders): void {
  const isSameHost = origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
  if (!TRUSTED_SITES.includes(site) || (site === undefined && !isSameHost)) {
    throw new RequestError(403, 'Pages of other sites may not ask this gateway.');
  }
}
