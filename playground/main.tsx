import 'graphiql/style.css';
import './style.css';
import { createRoot } from 'react-dom/client';

import { App } from './app.tsx';
import { setUpWorkers } from './workers.ts';

setUpWorkers();
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<App />);
