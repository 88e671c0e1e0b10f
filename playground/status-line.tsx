import { formatShortcutForOS, KEY_MAP, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect, useSyncExternalStore } from 'react';

import type { Run, RunReport } from './run-report.ts';
import { withIds } from './variables-text.ts';

const WORDS: Readonly<Record<Run['state'], string>> = {
  running: 'Running …',
  answered: 'Answered',
  errors: 'Answered with errors',
  failed: 'No answer',
};

const RUN_KEYS = formatShortcutForOS(KEY_MAP.runQuery.key, 'Cmd');

/** The line under the answer: how the tab's last run went, and which ids were filled in for it. */
export function StatusLine({ report }: { readonly report: RunReport }) {
  const run = useSyncExternalStore(report.subscribe, report.current);
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id);
  useEffect(() => {
    if (tab !== undefined) report.tell(undefined);
  }, [report, tab]);
  useFilledVariables(run);
  if (run === undefined) return <p className="status-line">{RUN_KEYS} runs the query.</p>;
  const { state, tookMs, ids } = run;
  return (
    <p className="status-line" data-state={state} role="status">
      <span className="status-line-dot" aria-hidden="true" />
      {WORDS[state]}
      {tookMs === undefined ? '' : ` in ${Math.round(tookMs)} ms`}
      {ids === undefined ? '' : ` · filled in ${Object.keys(ids).join(' and ')}`}
    </p>
  );
}

/** Writes the ids of a run into the variables pane and its tab. */
function useFilledVariables(run: Run | undefined): void {
  const variableEditor = useGraphiQL(({ variableEditor }) => variableEditor);
  const { updateActiveTabValues } = useGraphiQLActions();
  const ids = run?.ids;
  useEffect(() => {
    if (ids === undefined || variableEditor === undefined) return;
    const variables = withIds(variableEditor.getValue(), ids);
    variableEditor.setValue(variables);
    // The pane tells the tab half a second later, when the reader may have turned to another.
    updateActiveTabValues({ variables });
  }, [ids, variableEditor, updateActiveTabValues]);
}
