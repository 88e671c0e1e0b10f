import { bundle } from './bundle.ts';
import { createPageServer } from './server.ts';

const { PORT = '5173', CASEWAY_URL = 'http://127.0.0.1:4000' } = process.env;

createPageServer(await bundle(), CASEWAY_URL).listen(Number(PORT), '127.0.0.1', () => {
  process.stdout.write(`The page is at http://127.0.0.1:${PORT}, and asks the gateway at ${CASEWAY_URL}.\n`);
});
