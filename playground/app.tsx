import { DocExplorerStore } from '@graphiql/plugin-doc-explorer';
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import type { GraphQLSchema } from 'graphql';
import { useMemo, useState } from 'react';

import { Credentials, LABELS, type SignInConfig } from './credentials.tsx';
import { EditorStyle } from './editor.ts';
import { explorer } from './explorer.tsx';
import { queryBuilder } from './query-builder.tsx';
import { createFetcher, type Headers, type Run } from './requests.ts';
import { RecordLinks } from './response-links.tsx';
import { ShareButtons, StatusLine } from './run-status.tsx';
import { GENERIC_SAMPLES } from './samples/generic.ts';
import { typedSamples } from './samples/typed.ts';
import { createSamplesPanel, isWide } from './samples-panel.tsx';
import { storage } from './storage.ts';
import { initialTabs, TabStrip } from './tabs.ts';

export interface AppProps {
  readonly sdl: string;
  readonly schema: GraphQLSchema;
  readonly signIn: SignInConfig;
  /** The headers that loaded the schema. */
  readonly initialHeaders: Headers;
}

/** The whole page, for the present schema of the gateway. */
export function App({ sdl, schema, signIn, initialHeaders }: AppProps) {
  const [headers, setHeaders] = useState(initialHeaders);
  const [run, setRun] = useState<Run>();
  const [isSigningIn, setSigningIn] = useState(false);
  const [{ samples, panel, plugins, tabs }] = useState(() => {
    const generic = GENERIC_SAMPLES.filter(
      ({ kind }) => kind !== 'subscription' || schema.getSubscriptionType(),
    );
    const samples = [...typedSamples(schema), ...generic];
    const panel = createSamplesPanel(samples);
    return {
      samples,
      panel,
      plugins: [panel, queryBuilder, HISTORY_PLUGIN],
      tabs: initialTabs(samples),
    };
  });
  const fetcher = useMemo(
    () => createFetcher({ headers, samples, onRun: setRun }),
    [headers, samples],
  );
  return (
    <>
      <TopBar sdl={sdl}>
        <Credentials
          {...signIn}
          headers={headers}
          onChange={setHeaders}
          isOpen={isSigningIn}
          setOpen={setSigningIn}
        />
      </TopBar>
      <main className="explorer">
        <GraphiQL
          fetcher={fetcher}
          schema={schema}
          // The gateway has validated the schema.
          dangerouslyAssumeSchemaIsValid
          storage={storage}
          {...tabs}
          defaultEditorToolsVisibility="variables"
          // Headers are set once for all tabs. GraphiQL would store its headers with tabs and
          // history.
          isHeadersEditorEnabled={false}
          shouldPersistHeaders={false}
          showPersistHeadersSettings={false}
          plugins={plugins}
          referencePlugin={explorer}
          {...(isWide() ? { visiblePlugin: panel.title } : {})}
        >
          <GraphiQL.Logo>{null}</GraphiQL.Logo>
          <GraphiQL.Toolbar>
            {({ prettify, copy }) => (
              <>
                {prettify}
                {copy}
                <ShareButtons headers={codeHeaders(signIn, headers)} />
              </>
            )}
          </GraphiQL.Toolbar>
          <GraphiQL.Footer>
            <StatusLine
              run={run}
              onRun={setRun}
              headers={headers}
              signInLabel={LABELS[signIn.credentials]}
              onSignIn={() => setSigningIn(true)}
            />
          </GraphiQL.Footer>
          <TabStrip samples={samples} />
          <EditorStyle />
          <RecordLinks samples={samples} />
          <DocExplorerStore>{null}</DocExplorerStore>
        </GraphiQL>
      </main>
    </>
  );
}

/**
 * Returns the names of the headers that code for another program needs. It cannot have the
 * browser's session.
 */
function codeHeaders({ credentials }: SignInConfig, headers: Headers): readonly string[] {
  const names = Object.keys(headers);
  return credentials === 'session' ? [...new Set([...names, 'authorization'])] : names;
}

/** The head of the page, which is shown before the schema has loaded. */
export function TopBar({
  sdl,
  children,
}: {
  readonly sdl?: string;
  readonly children?: React.ReactNode;
}) {
  // A link to the gateway's schema could not send the API key.
  const download = useMemo(
    () => sdl && URL.createObjectURL(new Blob([sdl], { type: 'text/plain' })),
    [sdl],
  );
  return (
    <header className="top-bar">
      <img
        className="top-bar-mark"
        src={new URL('favicon.svg', import.meta.url).href}
        alt=""
        width="24"
        height="24"
      />
      <h1 className="top-bar-title">
        Caseway <span className="top-bar-place">Playground</span>
      </h1>
      <code className="top-bar-endpoint" title="The address to send queries to">
        POST {new URL('graphql', document.baseURI).pathname}
      </code>
      {children}
      <a className="small-button" href="playground/docs.html" target="_blank" rel="noopener">
        Guide
      </a>
      {download && (
        <a
          className="small-button"
          href={download}
          download="schema.graphql"
          title="Download the schema (SDL)"
        >
          Schema
        </a>
      )}
    </header>
  );
}
