import { useMonaco } from '@graphiql/react';
import { useEffect } from 'react';

interface Palette {
  readonly accent: string;
  /** The accent over another colour. */
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

/** Puts our colours in place of the explorer's own, in the editors' lists, hovers and search fields. */
export function EditorTheme(): null {
  const monaco = useMonaco((state) => state.monaco);

  useEffect(() => {
    // Under the names that the explorer knows: defining a theme again repaints the editors that wear it.
    monaco?.editor.defineTheme('graphiql-LIGHT', { base: 'vs', ...themeOf(LIGHT) });
    monaco?.editor.defineTheme('graphiql-DARK', { base: 'vs-dark', ...themeOf(DARK) });
  }, [monaco]);

  return null;
}

function themeOf({ accent, accentTint, popup, field, variable }: Palette) {
  return {
    inherit: true,
    rules: [{ token: 'argument.identifier.gql', foreground: variable }],
    colors: {
      'editor.background': '#ffffff00',
      'scrollbar.shadow': '#ffffff00',
      'editorHoverWidget.background': popup,
      'editorSuggestWidget.background': popup,
      'editorSuggestWidget.selectedBackground': accentTint,
      'editorSuggestWidget.selectedForeground': accent,
      'editorWidget.background': popup,
      'editorWidget.resizeBorder': accent,
      focusBorder: accent,
      'input.background': field,
      'inputOption.hoverBackground': accentTint,
      'list.focusHighlightForeground': accent,
      'list.highlightForeground': accent,
      'list.hoverBackground': accentTint,
      'menu.background': popup,
      'menu.selectionBackground': accentTint,
      'menu.selectionForeground': accent,
      'pickerGroup.foreground': accent,
      'quickInput.background': popup,
      'quickInputList.focusBackground': accentTint,
      'textLink.activeForeground': accent,
      'textLink.foreground': accent,
      'toolbar.hoverBackground': accentTint,
    },
  };
}
