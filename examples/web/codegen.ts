import type { CodegenConfig } from '@graphql-codegen/cli';
// In your own client: `from 'caseway/codegen'`.
import { clientPresetConfig } from '../../client/codegen.ts';

/** Types of the documents in `src`, for the schema printed by `npm run -s schema`. */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: 'src/**/*.{ts,tsx}',
  generates: {
    'src/__generated__/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        ...clientPresetConfig,
        emitLegacyCommonJSImports: false,
        immutableTypes: true,
        importExtension: '.ts',
        skipTypename: true,
      },
    },
    // Which types each interface has, for the cache.
    'src/__generated__/possible-types.ts': {
      plugins: ['fragment-matcher'],
      config: { useExplicitTyping: true },
    },
  },
};

export default config;
