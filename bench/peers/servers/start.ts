import { createContexts } from '../graph.ts';
import { createPlatform } from '../platform.ts';

const { PORT, UPSTREAM_URL = '' } = process.env;

export const port = Number(PORT);
export const host = '127.0.0.1';
export const createContext = createContexts(createPlatform(UPSTREAM_URL));
