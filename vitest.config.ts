import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { configDefaults, defineConfig } from 'vitest/config';

/**
 * Tests that start processes, Redis, tinyproxy or openssl. `npm run test:all` runs them, `npm test`
 * does not.
 */
const SYSTEM_TESTS = [
  'amplifiers',
  'deploy',
  'examples/mobile',
  'features/*/processes',
  'features/replicas',
  'isolation',
  'main',
  'testing',
].map((folder) => `test/${folder}/**/*.test.ts`);
SYSTEM_TESTS.push('test/bench/promises.test.ts', 'test/faults/company-network.test.ts');
SYSTEM_TESTS.push(
  'test/image/command.test.ts',
  'test/image/layout.test.ts',
  'test/package.test.ts',
);
SYSTEM_TESTS.push('examples/testing/vitest.test.ts');
// These create named pipes with a program.
SYSTEM_TESTS.push(
  'test/features/audit/failures.test.ts',
  'test/reload/documents.test.ts',
  'test/reload/reload.test.ts',
  'test/features/roles/reload.test.ts',
);

/** Tests that start a browser. */
const BROWSER_TESTS = [
  'test/client/indexeddb.test.ts',
  'test/features/playground/**/*.test.ts',
  'test/identity/browser.test.ts',
];

/** Tests with their own packages, which are installed when they run. */
const CLIENT_TESTS = 'test/clients/*.test.ts';
const ROUTER_TESTS = 'test/features/subgraph/router/*.test.ts';
const EXAMPLE_TESTS = 'test/examples/web/*.test.ts';

/** Tests of the images that `npm run image` builds. */
const IMAGE_TESTS = 'test/image/built.test.ts';

/** The file for the results of a run as JSON, set by `.ci/run`. */
const report = process.env['TEST_REPORT'];

export default defineConfig({
  // The build that Node loads: two builds of graphql in one process do not recognise each other's
  // types.
  resolve: {
    alias: [
      { find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) },
      // In Node a hook in `src/features/extensions/load.ts` resolves these names, wherever the
      // extension is.
      {
        find: 'caseway/extension',
        replacement: fileURLToPath(import.meta.resolve('./src/features/extensions/extension.ts')),
      },
      {
        find: /^caseway\/client$/,
        replacement: fileURLToPath(import.meta.resolve('./client/index.ts')),
      },
      {
        find: /^caseway\/client\/offline$/,
        replacement: fileURLToPath(import.meta.resolve('./client/offline/index.ts')),
      },
      {
        find: /^caseway\/client\/([\w-]+)$/,
        replacement: join(import.meta.dirname, 'client/adapters/$1.ts'),
      },
      {
        find: 'caseway/codegen',
        replacement: fileURLToPath(import.meta.resolve('./client/codegen.ts')),
      },
      {
        find: 'caseway/testing',
        replacement: fileURLToPath(import.meta.resolve('./testing/index.ts')),
      },
    ],
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'gateway',
          include: ['test/**/*.test.ts'],
          exclude: [
            ...configDefaults.exclude,
            ...SYSTEM_TESTS,
            ...BROWSER_TESTS,
            CLIENT_TESTS,
            ROUTER_TESTS,
            EXAMPLE_TESTS,
            IMAGE_TESTS,
          ],
        },
      },
      { extends: true, test: { name: 'system', include: SYSTEM_TESTS } },
      { extends: true, test: { name: 'browsers', include: BROWSER_TESTS } },
      {
        extends: true,
        plugins: [resolveAdapters()],
        test: { name: 'clients', include: [CLIENT_TESTS], globalSetup: 'test/clients/install.ts' },
      },
      {
        extends: true,
        test: {
          name: 'router',
          include: [ROUTER_TESTS],
          globalSetup: 'test/features/subgraph/router/install.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'examples',
          include: [EXAMPLE_TESTS],
          globalSetup: 'test/examples/web/install.ts',
        },
      },
      ...(process.env['IMAGE_IS_BUILT']
        ? [{ extends: true as const, test: { name: 'image', include: [IMAGE_TESTS] } }]
        : []),
    ],
    ...(report && { reporters: ['default', 'json'], outputFile: { json: report } }),
    // In CI a failed test gets a second run, because the machine may be busy. The report marks it (`retry x1`), so that
    // it can be mended.
    retry: process.env['CI'] ? 1 : 0,
    restoreMocks: true,
    // Three workers for two cores, since most tests wait for sockets, processes and deadlines for
    // half of their time. `npm run test:all` uses four: its tests start processes and wait longer.
    maxWorkers: 3,
    // Modules keep no state, so files may share them. Loading them for each file takes half of the
    // CPU time.
    isolate: false,
    // Long enough for a busy machine. No test waits for time to pass.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A polled condition may take long on a busy machine.
    expect: { poll: { timeout: 30_000 } },
  },
});

/** Resolves the packages of the client's adapters as an application does that has them. */
function resolveAdapters() {
  const application = join(import.meta.dirname, 'test/clients/application.ts');
  return {
    name: 'caseway-adapters',
    enforce: 'pre' as const,
    resolveId: {
      filter: { id: /^[^./]/ },
      handler(source: string, importer: string | undefined) {
        if (!importer?.includes('/client/adapters/')) return undefined;
        return this.resolve(source, application, { skipSelf: true });
      },
    },
  } satisfies Plugin;
}
