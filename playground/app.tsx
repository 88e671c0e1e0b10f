import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';

import { EditorLook } from './editor-look.ts';
import { EditorTheme } from './editor-theme.ts';
import { createFetcher } from './fetcher.ts';
import { lastTab } from './last-tab.ts';
import { createRunReport } from './run-report.ts';
import { SAMPLES } from './samples/index.ts';
import { SAMPLES_PANEL } from './samples-panel.tsx';
import { StatusLine } from './status-line.tsx';
import { storage } from './storage.ts';
import { TabStrip } from './tab-strip.ts';
import { tabOf } from './tabs.ts';
import { TopBar } from './top-bar.tsx';
import { TypedTabs } from './typed-tabs.ts';

const report = createRunReport();
const fetcher = createFetcher(report);
const plugins = [SAMPLES_PANEL, HISTORY_PLUGIN];
const defaultTabs = SAMPLES.map(tabOf);
const restored = lastTab();

/** The whole page. */
export function App() {
  return (
    <>
      <TopBar />
      <GraphiQL
        fetcher={fetcher}
        storage={storage}
        defaultTabs={defaultTabs}
        {...restored}
        defaultEditorToolsVisibility="variables"
        showPersistHeadersSettings={false}
        plugins={plugins}
        visiblePlugin={SAMPLES_PANEL.title}
        inputValueDeprecation
        schemaDescription
      >
        <GraphiQL.Logo>{null}</GraphiQL.Logo>
        <GraphiQL.Footer>
          <StatusLine report={report} />
        </GraphiQL.Footer>
        <TabStrip />
        <TypedTabs />
        <EditorLook />
        <EditorTheme />
      </GraphiQL>
    </>
  );
}
