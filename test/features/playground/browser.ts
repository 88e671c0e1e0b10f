import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { type Browser, chromium } from 'playwright-core';

import { type Env, startGateway } from '../../support/gateway.ts';

const CHROMIUM = '/usr/bin/chromium';

/**
 * Why no browser can be driven here, or `undefined`. On a build server a missing browser is a
 * failure, not a reason.
 */
export function whyNoBrowser(): string | undefined {
  return existsSync(CHROMIUM) || process.env['CI']
    ? undefined
    : `Chromium is not installed at ${CHROMIUM}`;
}

/** A browser that asks nothing on its own account. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}

/** Builds the playground, and starts a gateway and a browser. Hooks open and close both. */
export async function openPlayground(env: Env = {}) {
  // It is built where it has changed, so that a test never drives an old one.
  await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, '../../../playground/build.mjs'),
  ]);
  const [gateway, browser] = await Promise.all([
    startGateway({ TYPED_FORMS: '*', ...env }),
    openBrowser(),
  ]);
  const close = async () => {
    await browser.close();
    await gateway.close();
  };
  return { gateway, browser, close };
}
