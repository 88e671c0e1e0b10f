import './style.css';

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import { Session } from './session/session.tsx';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element #root.');
createRoot(root).render(
  <StrictMode>
    <Session />
  </StrictMode>,
);
