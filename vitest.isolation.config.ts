import { defineConfig, mergeConfig } from 'vitest/config';

import config from './vitest.config.ts';

/** The long form of the proof: `npm run isolation`. */
export default mergeConfig(
  config,
  defineConfig({
    test: {
      name: 'isolation',
      env: { ISOLATION_SEQUENCES: process.env['ISOLATION_SEQUENCES'] ?? '10000', ISOLATION_SHOW: '1' },
      reporters: ['dot'],
    },
  }),
);
