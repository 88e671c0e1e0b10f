import 'graphiql/style.css';
import './style.css';
import { buildSchema } from 'graphql';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

import { App, type AppProps, TopBar } from './app.tsx';
import { Credentials, type SignInConfig } from './credentials.tsx';
import { setUpWorkers } from './editor.ts';
import { rankTypes } from './explorer.tsx';
import type { Headers } from './requests.ts';

/** Shows the page when the schema has loaded, because the first samples are created from it. */
function Page() {
  const [headers, setHeaders] = useState<Headers>({});
  const [isOpen, setOpen] = useState(false);
  const [loaded, setLoaded] = useState<AppProps | SignInConfig | Error>();
  useEffect(() => {
    load(headers).then(setLoaded, setLoaded);
  }, [headers]);
  if (loaded !== undefined && 'schema' in loaded) return <App {...loaded} />;
  if (loaded !== undefined && 'credentials' in loaded) {
    const isWrong = Object.keys(headers).length > 0;
    return (
      <>
        <TopBar>
          <Credentials
            {...loaded}
            headers={headers}
            onChange={setHeaders}
            isOpen={isOpen}
            setOpen={setOpen}
          />
        </TopBar>
        <main className="page-message">
          <p role="alert">
            {isWrong && 'The gateway does not accept these credentials. '}Set your credentials to
            load the schema.
          </p>
        </main>
      </>
    );
  }
  return (
    <>
      <TopBar />
      <main className="page-message" aria-busy={loaded === undefined}>
        {loaded === undefined ? <p>Loading the schema …</p> : <p role="alert">{loaded.message}</p>}
      </main>
    </>
  );
}

/** Loads the schema as SDL, which is a tenth of the size of its introspection. */
async function load(initialHeaders: Headers): Promise<AppProps | SignInConfig> {
  const [sdl, config = ''] = await Promise.all([
    fetchText('schema.graphql', initialHeaders),
    fetchText('playground/config.json'),
  ]);
  const signIn = JSON.parse(config) as SignInConfig;
  // The gateway requires credentials for the schema.
  if (sdl === undefined) return signIn;
  const schema = buildSchema(sdl, { assumeValidSDL: true, noLocation: true });
  rankTypes(schema);
  return { sdl, schema, signIn, initialHeaders };
}

/** Returns a text from the gateway, or `undefined` if it requires credentials. */
async function fetchText(path: string, headers: Headers = {}): Promise<string | undefined> {
  const response = await fetch(new URL(path, document.baseURI), { headers });
  if (response.status === 401) return undefined;
  if (!response.ok) throw new Error(`The gateway answered ${response.status} for ${path}.`);
  return response.text();
}

setUpWorkers();
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<Page />);
