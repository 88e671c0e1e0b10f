import 'graphiql/style.css';
import './style.css';
import { buildSchema } from 'graphql';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

import { App, type AppProps, TopBar } from './app.tsx';
import { setUpWorkers } from './editor.ts';

/** Shows the page when the gateway's schema has come: the samples of the first visit are made from it. */
function Page() {
  const [loaded, setLoaded] = useState<AppProps | Error>();
  useEffect(() => {
    load().then(setLoaded, setLoaded);
  }, []);
  if (loaded !== undefined && 'schema' in loaded) return <App {...loaded} />;
  return (
    <>
      <TopBar />
      <main className="page-message" aria-busy={loaded === undefined}>
        {loaded === undefined ? <p>Loading the schema …</p> : <LoadProblem message={loaded.message} />}
      </main>
    </>
  );
}

function LoadProblem({ message }: { readonly message: string }) {
  return (
    <>
      <p role="alert">{message}</p>
      <button type="button" className="small-button" onClick={() => location.reload()}>
        Try again
      </button>
    </>
  );
}

/** The schema comes as SDL, a tenth of the size of its introspection. */
async function load(): Promise<AppProps> {
  const [sdl, config] = await Promise.all([fetchText('schema.graphql'), fetchText('playground/config.json')]);
  return {
    schema: buildSchema(sdl, { assumeValidSDL: true, noLocation: true }),
    ...(JSON.parse(config) as Pick<AppProps, 'credentials'>),
  };
}

async function fetchText(path: string): Promise<string> {
  const response = await fetch(new URL(path, document.baseURI));
  if (!response.ok) throw new Error(`The gateway answered ${response.status} for ${path}.`);
  return response.text();
}

setUpWorkers();
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<Page />);
