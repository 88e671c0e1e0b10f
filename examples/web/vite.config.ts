import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv } from 'vite';

export default defineConfig(({ mode }) => {
  const { CASEWAY_URL = 'http://127.0.0.1:4000' } = loadEnv(mode, '.', 'CASEWAY_');
  // The page and GraphQL share an origin, as behind a reverse proxy in production, because the
  // session's cookie is `SameSite=Strict`.
  const proxy = { '/graphql': CASEWAY_URL };
  return { plugins: [react()], resolve: SOURCES, server: { proxy }, preview: { proxy } };
});

/** In a checkout of Caseway the package is its sources. With the package installed, remove this. */
const SOURCES = {
  alias: [
    { find: /^caseway\/client$/, replacement: `${import.meta.dirname}/../../client/index.ts` },
    {
      find: /^caseway\/client\/([\w-]+)$/,
      replacement: `${import.meta.dirname}/../../client/adapters/$1.ts`,
    },
  ],
  dedupe: ['@apollo/client', 'react'],
};
