import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv } from 'vite';

export default defineConfig(({ mode }) => {
  const { CASEWAY_URL = 'http://127.0.0.1:4000' } = loadEnv(mode, '.', 'CASEWAY_');
  // The page and GraphQL share an origin, as behind a reverse proxy in production, because the
  // session's cookie is `SameSite=Strict`.
  const proxy = { '/graphql': CASEWAY_URL };
  return { plugins: [react()], server: { proxy }, preview: { proxy } };
});
