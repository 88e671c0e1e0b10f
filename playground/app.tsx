import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import type { GraphQLSchema } from 'graphql';
import { useMemo, useState } from 'react';

import { type CredentialKind, Credentials } from './credentials.tsx';
import { EditorStyle } from './editor.ts';
import { queryBuilder } from './query-builder.tsx';
import { createFetcher, type Headers, type Run } from './requests.ts';
import { ShareButtons, StatusLine } from './run-status.tsx';
import { GENERIC_SAMPLES } from './samples/generic.ts';
import { typedSamples } from './samples/typed.ts';
import { createSamplesPanel, isWide } from './samples-panel.tsx';
import { storage } from './storage.ts';
import { initialTabs, TabStrip } from './tabs.ts';

export interface AppProps {
  readonly sdl: string;
  readonly schema: GraphQLSchema;
  readonly credentials: CredentialKind;
  /** The headers that loaded the schema. */
  readonly initialHeaders: Headers;
}

/** The whole page, for the present schema of the gateway. */
export function App({ sdl, schema, credentials, initialHeaders }: AppProps) {
  const [headers, setHeaders] = useState(initialHeaders);
  const [run, setRun] = useState<Run>();
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
        <Credentials kind={credentials} headers={headers} onChange={setHeaders} />
      </TopBar>
      <main className="explorer">
        <GraphiQL
          fetcher={fetcher}
          schema={schema}
          // The gateway has validated the schema.
          dangerouslyAssumeSchemaIsValid
          storage={storage}
          {...tabs}
          // A new tab is empty, and the response pane explains the next step.
          defaultQuery=""
          defaultEditorToolsVisibility="variables"
          // Headers are set once for all tabs. GraphiQL would store its headers with tabs and
          // history.
          isHeadersEditorEnabled={false}
          shouldPersistHeaders={false}
          showPersistHeadersSettings={false}
          plugins={plugins}
          {...(isWide() ? { visiblePlugin: panel.title } : {})}
        >
          <GraphiQL.Logo>{null}</GraphiQL.Logo>
          <GraphiQL.Toolbar>
            {({ prettify, copy }) => (
              <>
                {prettify}
                {copy}
                <ShareButtons headers={headers} />
              </>
            )}
          </GraphiQL.Toolbar>
          <GraphiQL.Footer>
            <StatusLine run={run} onRun={setRun} headers={headers} />
          </GraphiQL.Footer>
          <TabStrip samples={samples} />
          <EditorStyle />
        </GraphiQL>
      </main>
    </>
  );
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
        Docs
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
