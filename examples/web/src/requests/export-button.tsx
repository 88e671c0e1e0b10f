import type { ErrorLike } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';

import type { RequestsQueryVariables } from '../__generated__/graphql.ts';
import { exportCsv } from './export-csv.ts';

interface ExportButtonProps {
  /** The filter and order of the list. */
  readonly variables: RequestsQueryVariables;
  readonly onError: (error: ErrorLike | undefined) => void;
}

/** Saves the whole list as a file for spreadsheets, not only the pages on the screen. */
export function ExportButton({ variables, onError }: ExportButtonProps) {
  const client = useApolloClient();
  const [progress, setProgress] = useState<string>();

  const save = async () => {
    setProgress('Exporting …');
    onError(undefined);
    try {
      const csv = await exportCsv(client, variables, ({ rows, total }) =>
        setProgress(`${rows} of ${total ?? '?'} …`),
      );
      // Without this mark spreadsheets assume another encoding.
      download(new Blob(['\uFEFF', csv], { type: 'text/csv' }), 'purchase-requests.csv');
    } catch (error) {
      onError(error as ErrorLike);
    }
    setProgress(undefined);
  };

  return (
    <button type="button" onClick={save} disabled={progress !== undefined}>
      {progress ?? 'Export CSV'}
    </button>
  );
}

function download(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
