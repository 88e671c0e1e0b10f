import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';

import { type Bundle, bundle as build } from '../../../examples/web/bundle.ts';
import { openBrowser, whyNoBrowser } from '../../playground/browser.ts';
import { openSite, type SiteOptions } from './site.ts';

/** Opens a browser and builds the page before the tests of a file; says why where no browser can be driven. */
export function prepareStage() {
  const reason = whyNoBrowser();
  let browser: Browser;
  let bundle: Bundle;
  beforeAll(async () => {
    if (reason === undefined) [browser, bundle] = await Promise.all([openBrowser(), build()]);
  });
  afterAll(() => browser?.close());

  return {
    reason,
    openSite: (options: Omit<SiteOptions, 'browser' | 'bundle'> = {}) => openSite({ browser, bundle, ...options }),
  };
}
