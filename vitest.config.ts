import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Tests that start processes, Redis, tinyproxy or openssl. `npm run test:all` runs them, `npm test`
 * does not.
 */
const SYSTEM_TESTS = [
  'amplifiers',
  'deploy',
  'features/*/processes',
  'features/replicas',
  'isolation',
  'main',
  'testing',
].map((folder) => `test/${folder}/**/*.test.ts`);
SYSTEM_TESTS.push('test/bench/promises.test.ts', 'test/faults/company-network.test.ts');
SYSTEM_TESTS.push('test/image/command.test.ts', 'test/image/layout.test.ts');
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

/**
 * Tests of the packed package, as applications use it. It is packed and installed when they run, and
 * so are the packages of the clients.
 */
const PACKAGE_TESTS = ['test/package.test.ts', 'test/clients/*.test.ts', 'test/examples/*.test.ts'];
const WEB_TESTS = 'test/examples/web/*.test.ts';

/** Tests with their own packages, which are installed when they run. */
const ROUTER_TESTS = 'test/features/subgraph/router/*.test.ts';

/** Tests of the images that `npm run image` builds. */
const IMAGE_TESTS = 'test/image/built.test.ts';

/** The modules of the package, for tests of the sources. */
const SOURCES = [
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
];

/**
 * Files that take longest. They start first, so that no worker runs one of them at the end while the
 * others have nothing to do.
 */
export const SLOWEST = [
  'test/platforms/platforms.test.ts',
  'test/features/live/shares.test.ts',
  'test/compare/documents.test.ts',
  'test/faults/matrix.test.ts',
  'test/main/features.test.ts',
  'test/amplifiers/amplifiers.test.ts',
  'test/main/dev.test.ts',
  'test/isolation/roles/leaks.test.ts',
  'test/main/start.test.ts',
  'test/package.test.ts',
  'test/bench/promises.test.ts',
  'test/features/playground/playground.test.ts',
  'test/features/playground/layout.test.ts',
  'test/clients/live.test.ts',
  'test/clients/testing-kit.test.ts',
];

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) =>
      SLOWEST.some((file) => moduleId.endsWith(`/${file}`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

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
    ],
  },
  test: {
    projects: [
      {
        extends: true,
        resolve: { alias: SOURCES },
        test: {
          name: 'gateway',
          include: ['test/**/*.test.ts'],
          exclude: [
            ...configDefaults.exclude,
            ...SYSTEM_TESTS,
            ...BROWSER_TESTS,
            ...PACKAGE_TESTS,
            WEB_TESTS,
            ROUTER_TESTS,
            IMAGE_TESTS,
          ],
        },
      },
      {
        extends: true,
        resolve: { alias: SOURCES },
        test: { name: 'system', include: SYSTEM_TESTS },
      },
      {
        extends: true,
        resolve: { alias: SOURCES },
        test: { name: 'browsers', include: BROWSER_TESTS },
      },
      {
        extends: true,
        test: {
          name: 'clients',
          include: PACKAGE_TESTS,
          globalSetup: ['test/support/pack.ts', 'test/clients/write-page.ts'],
        },
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
          include: [WEB_TESTS],
          globalSetup: ['test/support/pack.ts', 'test/examples/web/build.ts'],
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
    sequence: { sequencer: SlowestFirst },
    // Three workers for two cores, since most tests wait for sockets, processes and deadlines for
    // half of their time. `npm run test:all` uses four: its tests start processes and wait longer.
    maxWorkers: 3,
    // Modules keep no state, so files may share them. Loading them for each file takes half of the
    // CPU time.
    isolate: false,
    // Long enough for a busy machine. No test waits for time to pass.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A polled condition may take long on a busy machine.
    expect: { poll: { timeout: 90_000 } },
  },
});
