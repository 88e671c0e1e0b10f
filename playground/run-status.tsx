import {
  formatShortcutForOS,
  KEY_MAP,
  ToolbarButton,
  ToolbarMenu,
  tryParseJSONC,
  useGraphiQL,
  useGraphiQLActions,
} from '@graphiql/react';
import { OperationTypeNode } from 'graphql';
import { useEffect, useState } from 'react';

import { CLIENTS, codeFor } from './code.ts';
import { Dialog } from './credentials.tsx';
import { copyText, toLink } from './links.ts';
import {
  type Cost,
  type GraphqlRequest,
  type Headers,
  kindOf,
  type LiveRun,
  type Received,
  type Run,
  send,
  withValidOperationName,
} from './requests.ts';
import { Violations } from './response-links.tsx';
import { withIds } from './samples/fill.ts';
import { isWide } from './samples-panel.tsx';
import { type Table, tablesOf, toCsv } from './table.ts';

const RUN_KEYS = formatShortcutForOS(KEY_MAP.runQuery.key, 'Cmd');

interface StatusLineProps {
  readonly run: Run | undefined;
  readonly onRun: (run: Run | undefined) => void;
  readonly headers: Headers;
  /** The name of the button for credentials. */
  readonly signInLabel: string;
  readonly onSignIn: () => void;
}

/**
 * The line below the response: the cost of the open tab's last run, and the highest cost of its
 * query.
 */
export function StatusLine({ run, onRun, headers, signInLabel, onSignIn }: StatusLineProps) {
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the line belongs to the tab that was run.
  useEffect(() => onRun(undefined), [onRun, tab]);
  useFilledVariables(run);
  const errors = run && 'errors' in run ? run.errors : [];
  const isRefused = errors.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED');
  const hasResult = run !== undefined && hasShownResult(run);
  useEffect(() => {
    if (hasResult && !isWide())
      document.querySelector('.graphiql-response')?.scrollIntoView({ block: 'end' });
  }, [hasResult]);
  return (
    <>
      {run === undefined && <EmptyResponse />}
      {run?.state !== 'live' && run?.state !== 'running' && <OldResult />}
      <Violations errors={errors} />
      <div className="status-line" data-state={run?.state}>
        {/* A live line changes with each heartbeat. */}
        <p
          className="status-text"
          role="status"
          aria-live={run?.state === 'live' ? 'off' : 'polite'}
        >
          {run ? <RunText run={run} /> : `${RUN_KEYS} runs the query.`}
        </p>
        {isRefused && (
          <button type="button" className="small-button small-button-primary" onClick={onSignIn}>
            {signInLabel}
          </button>
        )}
        <TableButton />
        <PlanButton headers={headers} />
      </div>
    </>
  );
}

function hasShownResult(run: Run): boolean {
  if (run.state === 'live') return run.results > 0;
  return run.state === 'answered' || run.state === 'errors';
}

/** The text in an empty response pane. */
function EmptyResponse() {
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]);
  if (tab?.response) return null;
  const isBlank = (tab?.query ?? '').trim() === '';
  return (
    <div className="empty-response">
      {isBlank ? (
        <p>
          This tab is empty. Choose a sample on the left, tick fields in the Query Builder, or type
          a query.
        </p>
      ) : (
        <p>
          Run the query with <kbd>{RUN_KEYS}</kbd> or the ▶ button. The response appears here, with
          the number of calls to the platform.
        </p>
      )}
    </div>
  );
}

/** Marks the last result of an ended stream in the response pane. */
function OldResult() {
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]);
  if (!tab?.response || !dataOf(tab.response)) return null;
  const kind = kindOf({ query: tab.query ?? '', operationName: tab.operationName });
  if (kind !== OperationTypeNode.SUBSCRIPTION) return null;
  return (
    <p className="old-result">
      An old result. The stream has ended, so later changes are not shown.
    </p>
  );
}

function RunText({ run }: { readonly run: Run }) {
  if (run.state === 'running') return 'Running …';
  if (run.state === 'failed') return 'No response';
  if ('results' in run) return <LiveText run={run} />;
  const { received, cost, ids } = run;
  const parts = cost ? costParts(cost) : [];
  parts.push(`${Math.round(received.durationMs)} ms`, formatBytes(received.bytes));
  if (ids) parts.push(`filled in ${Object.keys(ids).join(' and ')}`);
  const calls =
    cost && Object.entries(cost.operations).map(([operation, calls]) => `${operation} ${calls}`);
  return (
    <>
      <span className="status-dot" aria-hidden="true" />
      <StatusButton received={received} hasErrors={run.state === 'errors'} />
      {parts.map((part) => (
        <span
          key={part}
          className="status-part"
          title={part.endsWith('upstream calls') ? calls?.join(', ') : undefined}
        >
          {part}
        </span>
      ))}
    </>
  );
}

/** The state of a subscription, while it runs and after it has ended. */
function LiveText({ run }: { readonly run: LiveRun }) {
  const { state, received, results, lastResultAt, hasErrors, polls, isComplete } = run;
  const ended = isComplete ? 'Ended: nothing more will come' : 'Ended: run it again to go on';
  return (
    <>
      <span className="status-dot" aria-hidden="true" />
      <StatusButton received={received} hasErrors={hasErrors} />
      <span className="status-part">{state === 'live' ? 'Live' : ended}</span>
      {lastResultAt && (
        <span className="status-part">last result at {TIME.format(lastResultAt)}</span>
      )}
      <span className="status-part">{formatCount(results, 'result')}</span>
      {polls !== undefined && (
        <span
          className="status-part"
          title="Conditional calls to the platform, shared by equal subscriptions"
        >
          {formatCount(polls, 'poll')}
        </span>
      )}
    </>
  );
}

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

const formatCount = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`;

interface StatusButtonProps {
  readonly received: Pick<Received, 'status' | 'headers'>;
  readonly hasErrors: boolean;
}

/** The HTTP status. A click shows the response's headers. */
function StatusButton({ received: { status, headers }, hasErrors }: StatusButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="status-part status-button"
        title="Show the response headers"
        onClick={() => setOpen(true)}
      >
        {status}
        {hasErrors && ' with errors'}
      </button>
      <Dialog title="Response headers" isOpen={isOpen} onClose={() => setOpen(false)}>
        <div className="plan">
          <Rows columns={['Header', 'Value']} rows={headers} />
        </div>
      </Dialog>
    </>
  );
}

function costParts({ calls, notModified, coalesced, fresh }: Cost): string[] {
  const parts = [`${calls} upstream ${calls === 1 ? 'call' : 'calls'}`];
  if (notModified > 0) parts.push(`${notModified} not modified`);
  if (coalesced > 0) parts.push(`${coalesced} coalesced`);
  if (fresh > 0) parts.push(`${fresh} from cache`);
  return parts;
}

function formatBytes(bytes: number): string {
  return bytes < 1_000 ? `${bytes} B` : `${(bytes / 1_000).toFixed(1)} kB`;
}

/** Writes the ids of a run into the variables pane and its tab. */
function useFilledVariables(run: Run | undefined): void {
  const variableEditor = useGraphiQL(({ variableEditor }) => variableEditor);
  const { updateActiveTabValues } = useGraphiQLActions();
  const ids = run && 'ids' in run ? run.ids : undefined;
  useEffect(() => {
    if (ids === undefined || variableEditor === undefined) return;
    const variables = withIds(variableEditor.getValue(), ids);
    variableEditor.setValue(variables);
    // The pane updates the tab half a second later, when another tab may be open.
    updateActiveTabValues({ variables });
  }, [ids, variableEditor, updateActiveTabValues]);
}

/** Returns the data in the text of the response pane. */
function dataOf(response: string | null | undefined): unknown {
  return (tryParseJSONC(response ?? '') as { readonly data?: unknown } | undefined)?.data;
}

/** Shows the lists of the open tab's response as tables, and copies them as CSV. */
function TableButton() {
  const response = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.response);
  const [tables, setTables] = useState<readonly Table[]>();
  const [path, setPath] = useState('');
  const [copied, setCopied] = useState('');
  const table = tables?.find((table) => table.path === path) ?? tables?.[0];
  const close = () => {
    setTables(undefined);
    setCopied('');
  };
  const copy = async (table: Table) => {
    await copyText(toCsv(table));
    setCopied('CSV copied.');
  };
  if (!response) return null;
  return (
    <>
      <button
        type="button"
        className="small-button"
        title="Show the response as a table"
        onClick={() => setTables(tablesOf(dataOf(response)))}
      >
        Table
      </button>
      <Dialog title="Table" isOpen={tables !== undefined} onClose={close} isWide>
        {table === undefined ? (
          <p className="form-text">The response has no data.</p>
        ) : (
          <div className="plan">
            <div className="form-buttons">
              {tables && tables.length > 1 && (
                <select
                  className="field"
                  aria-label="List"
                  value={table.path}
                  onChange={(event) => setPath(event.target.value)}
                >
                  {tables.map(({ path }) => (
                    <option key={path}>{path}</option>
                  ))}
                </select>
              )}
              <button type="button" className="small-button" onClick={() => copy(table)}>
                Copy as CSV
              </button>
              <span className="form-note" role="status">
                {copied || `${table.path}: ${formatCount(table.rows.length, 'row')}`}
              </span>
            </div>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a scrolling area */}
            <section className="table-scroll" tabIndex={0} aria-label={table.path}>
              <Rows {...table} />
            </section>
          </div>
        )}
      </Dialog>
    </>
  );
}

/** The gateway's response to a request for a plan. */
interface Plan {
  readonly calls: { readonly most: number; readonly allowed: number };
  /** The cost after the first result of a subscription. */
  readonly summary?: string;
  readonly fields: { readonly most: number; readonly allowed: number };
  readonly steps: readonly {
    readonly field: string;
    readonly operation: string;
    readonly calls: number;
    readonly objects: number;
  }[];
}

/** Shows the highest cost of the open tab's operation without running it. */
function PlanButton({ headers }: { readonly headers: Headers }) {
  const [shown, setShown] = useState<Plan | string>();
  const readRequest = useEditedRequest();
  const explain = async () => {
    const { response } = await send(readRequest(), { ...headers, 'x-caseway-explain': 'plan' });
    const plan = response.extensions?.['plan'] as Plan | undefined;
    const errors = response.errors?.map(({ message, path = [] }) => [...path, message].join(' '));
    setShown(plan ?? errors?.join('\n') ?? 'The gateway returned no plan.');
  };
  return (
    <>
      <button
        type="button"
        className="small-button"
        title="Show the highest cost of this operation without running it"
        onClick={() => explain().catch((reason: unknown) => setShown(messageOf(reason)))}
      >
        Plan
      </button>
      <Dialog title="Plan" isOpen={shown !== undefined} onClose={() => setShown(undefined)}>
        {typeof shown === 'string' && <p className="form-problem">{shown}</p>}
        {typeof shown === 'object' && <PlanTable plan={shown} />}
      </Dialog>
    </>
  );
}

function PlanTable({ plan: { calls, summary, fields, steps } }: { readonly plan: Plan }) {
  return (
    <div className="plan">
      <p className="form-text">
        At most <strong>{grouped(calls.most)}</strong> upstream{' '}
        {calls.most === 1 ? 'call' : 'calls'}; {grouped(calls.allowed)} are allowed. At most{' '}
        {grouped(fields.most)} fields in the response; {grouped(fields.allowed)} are allowed.
      </p>
      {summary !== undefined && (
        <p className="form-text">
          A subscription costs <strong>{summary}</strong>.
        </p>
      )}
      {steps.length > 0 && (
        <Rows
          columns={['Field', 'Operation', 'Calls', 'Objects']}
          rows={steps.map(({ field, operation, calls, objects }) => [
            field,
            operation,
            grouped(calls),
            grouped(objects),
          ])}
        />
      )}
      <p className="form-note">
        Caching and coalescing are not counted, so a run often needs fewer calls. The operation was
        not run.
      </p>
    </div>
  );
}

/** A table of texts. */
const Rows = ({ columns, rows }: Pick<Table, 'columns' | 'rows'>) => (
  <table>
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column} scope="col">
            {column}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity and stay in place
        <tr key={index}>
          {row.map((text, cell) => (
            <td key={columns[cell]}>{text}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

/** Formats a number with separators: 20,000. */
const grouped = (count: number): string => count.toLocaleString('en');

/**
 * The toolbar's buttons that copy the query: as a link to this page, and as code.
 *
 * @param headers the names of the headers that the code needs.
 */
export function ShareButtons({ headers }: { readonly headers: readonly string[] }) {
  const readRequest = useEditedRequest();
  const variableEditor = useGraphiQL(({ variableEditor }) => variableEditor);
  const [copied, setCopied] = useState('');
  const copy = async (what: string, text: string) => {
    await copyText(text);
    setCopied(`${what} copied.`);
  };
  const copyLink = () =>
    copy(
      'Link',
      toLink({ query: readRequest().query, variables: variableEditor?.getValue() ?? '' }),
    );
  return (
    <>
      <ToolbarButton label="Copy a link to this query" onClick={copyLink}>
        <LinkIcon />
      </ToolbarButton>
      <ToolbarMenu
        button={
          <ToolbarButton label="Copy as code">
            <CodeIcon />
          </ToolbarButton>
        }
      >
        {CLIENTS.map((client) => (
          <ToolbarMenu.Item
            key={client}
            onSelect={() => copy(`${client} code`, codeFor(client, readRequest(), headers))}
          >
            {client}
          </ToolbarMenu.Item>
        ))}
      </ToolbarMenu>
      <span className="visually-hidden" role="status">
        {copied}
      </span>
    </>
  );
}

/** Returns a function that reads the request in the editors. */
function useEditedRequest(): () => GraphqlRequest {
  const { queryEditor, variableEditor, operationName } = useGraphiQL(
    ({ queryEditor, variableEditor, operationName }) => ({
      queryEditor,
      variableEditor,
      operationName,
    }),
  );
  return () => {
    const variables = tryParseJSONC(variableEditor?.getValue()) as GraphqlRequest['variables'];
    return withValidOperationName({
      query: queryEditor?.getValue() ?? '',
      operationName,
      variables,
    });
  };
}

const messageOf = (reason: unknown): string =>
  reason instanceof Error ? reason.message : String(reason);

const LinkIcon = () => (
  <svg className="graphiql-toolbar-icon line-icon" viewBox="0 0 20 20" aria-hidden="true">
    <path d="M8.5 11.5a3.5 3.5 0 0 0 5 0l3-3a3.5 3.5 0 0 0-5-5l-1 1M11.5 8.5a3.5 3.5 0 0 0-5 0l-3 3a3.5 3.5 0 0 0 5 5l1-1" />
  </svg>
);

const CodeIcon = () => (
  <svg className="graphiql-toolbar-icon line-icon" viewBox="0 0 20 20" aria-hidden="true">
    <path d="M7 5l-5 5 5 5M13 5l5 5-5 5" />
  </svg>
);
