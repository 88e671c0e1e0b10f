import { useGraphiQL, useMonaco } from '@graphiql/react';
import { useEffect } from 'react';

/** Sets up the editor's background workers. `build.mjs` puts their files beside this one. */
export function setUpWorkers(): void {
  Object.assign(globalThis, {
    MonacoEnvironment: {
      getWorker: (_id: string, label: string) =>
        new Worker(new URL(WORKERS[label] ?? WORKERS['editor'] ?? '', import.meta.url)),
    },
  });
}

/** Sets the editors' font, line wrapping, Tab key and colours. */
export function EditorStyle(): null {
  const { queryEditor, variableEditor, responseEditor } = useGraphiQL(
    ({ queryEditor, variableEditor, responseEditor }) => ({
      queryEditor,
      variableEditor,
      responseEditor,
    }),
  );
  const monaco = useMonaco((state) => state.monaco);

  useEffect(() => {
    for (const editor of [queryEditor, variableEditor, responseEditor]) {
      editor?.updateOptions({
        fontFamily: 'ui-monospace, monospace',
        fontSize: 13,
        lineHeight: 20,
        wordWrap: 'on',
        wrappingIndent: 'indent',
      });
    }
  }, [queryEditor, variableEditor, responseEditor]);

  useEffect(() => {
    // Tab leaves the editors, as other fields. It still accepts a suggestion.
    queryEditor?.trigger('keyboard', 'editor.action.toggleTabFocusMode', null);
  }, [queryEditor]);

  useEffect(() => {
    // With GraphiQL's own theme names: defining a theme again repaints the editors that use it.
    monaco?.editor.defineTheme('graphiql-LIGHT', { base: 'vs', ...themeOf(LIGHT) });
    monaco?.editor.defineTheme('graphiql-DARK', { base: 'vs-dark', ...themeOf(DARK) });
  }, [monaco]);

  return null;
}

interface Palette {
  readonly accent: string;
  /** The accent colour, mixed into another colour. */
  readonly accentTint: string;
  readonly popup: string;
  readonly field: string;
  readonly variable: string;
}

const LIGHT: Palette = {
  accent: '#0f766e',
  accentTint: '#0f766e1f',
  popup: '#ffffff',
  field: '#3b4b6811',
  variable: '#6c69ce',
};
const DARK: Palette = {
  accent: '#2dd4bf',
  accentTint: '#2dd4bf24',
  popup: '#17242e',
  field: '#b7c2d711',
  variable: '#908aff',
};

function themeOf({ accent, accentTint, popup, field, variable }: Palette) {
  return {
    inherit: true,
    rules: [{ token: 'argument.identifier.gql', foreground: variable }],
    colors: {
      'editor.background': '#ffffff00',
      'editorHoverWidget.background': popup,
      'editorSuggestWidget.background': popup,
      'editorSuggestWidget.selectedBackground': accentTint,
      'editorSuggestWidget.selectedForeground': accent,
      'editorWidget.background': popup,
      focusBorder: accent,
      'input.background': field,
      'list.focusHighlightForeground': accent,
      'list.highlightForeground': accent,
      'list.hoverBackground': accentTint,
      'textLink.activeForeground': accent,
      'textLink.foreground': accent,
    },
  };
}
