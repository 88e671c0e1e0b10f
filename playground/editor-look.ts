import { useGraphiQL } from '@graphiql/react';
import { useEffect } from 'react';

/** Small type and wrapped lines in every editor, so that a query and its comment are seen whole. */
export function EditorLook(): null {
  const { queryEditor, variableEditor, headerEditor, responseEditor } = useGraphiQL(
    ({ queryEditor, variableEditor, headerEditor, responseEditor }) => ({
      queryEditor,
      variableEditor,
      headerEditor,
      responseEditor,
    }),
  );

  useEffect(() => {
    for (const editor of [queryEditor, variableEditor, headerEditor, responseEditor]) {
      editor?.updateOptions({ fontSize: 13, lineHeight: 20, wordWrap: 'on', wrappingIndent: 'indent' });
    }
  }, [queryEditor, variableEditor, headerEditor, responseEditor]);

  return null;
}
