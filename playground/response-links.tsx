import { type MonacoEditor, useGraphiQL, useGraphiQLActions, useMonaco } from '@graphiql/react';
import { type FieldNode, Kind, parse, type ValueNode, visit } from 'graphql';
import { findNodeAtLocation, type JSONPath, parseTree } from 'jsonc-parser';
import { useEffect, useEffectEvent } from 'react';

import type { GraphqlError } from './requests.ts';
import type { Sample } from './samples/sample.ts';
import { useTabs } from './tabs.ts';

const RECORD = `query Record($id: ID!) {
  node(id: $id) {
    __typename
    id
    ... on Instance {
      formId
      instanceId
      values
    }
    ... on Form {
      formId
      name
      fields {
        name
        label
        type
      }
    }
  }
}
`;

const ID = '"id": "[^"]+"';

/** Links the ids in the response: a click, or Enter in the line, opens the record in a tab. */
export function RecordLinks({ samples }: { readonly samples: readonly Sample[] }): null {
  const responseEditor = useGraphiQL(({ responseEditor }) => responseEditor);
  const monaco = useMonaco(({ monaco }) => monaco);
  const { run } = useGraphiQLActions();
  const { add } = useTabs(samples);
  const open = useEffectEvent((line: string) => {
    const [id] = line.match(ID) ?? [];
    if (id === undefined) return;
    add({ query: RECORD, variables: `{\n  ${id}\n}` });
    run();
  });

  useEffect(() => {
    const model = responseEditor?.getModel();
    if (!responseEditor || !model || !monaco) return;
    const links = responseEditor.createDecorationsCollection();
    const options = { inlineClassName: 'record-link', hoverMessage: { value: 'Open the record' } };
    const mark = () => {
      const matches = model.findMatches(ID, false, true, true, null, false);
      links.set(matches.map(({ range }) => ({ range, options })));
    };
    const openAt = (line = 0) => {
      if (line > 0) open(model.getLineContent(line));
    };
    const listeners = [
      responseEditor.onDidChangeModelContent(mark),
      responseEditor.onMouseUp(({ target }) => {
        const isOnText = target.type === monaco.editor.MouseTargetType.CONTENT_TEXT;
        // Selecting a text ends with the same event.
        if (isOnText && responseEditor.getSelection()?.isEmpty()) {
          openAt(target.position.lineNumber);
        }
      }),
      responseEditor.addAction({
        id: 'open-record',
        label: 'Open the record',
        keybindings: [monaco.KeyCode.Enter],
        contextMenuGroupId: 'navigation',
        run: () => openAt(responseEditor.getPosition()?.lineNumber),
      }),
    ];
    return () => {
      for (const listener of listeners) listener.dispose();
    };
  }, [responseEditor, monaco]);

  return null;
}

/** The wrong values of a request. A click goes to the value. */
export function Violations({ errors }: { readonly errors: readonly GraphqlError[] }) {
  const { queryEditor, variableEditor } = useGraphiQL(({ queryEditor, variableEditor }) => ({
    queryEditor,
    variableEditor,
  }));
  const goTo = (field: string | number | undefined, path: JSONPath) => {
    const place = placeOf(queryEditor?.getValue() ?? '', field, path);
    if (typeof place === 'number') return focusAt(queryEditor, place);
    focusAt(variableEditor, offsetIn(variableEditor?.getValue() ?? '', place));
  };
  const links = errors.flatMap(({ message, path, locations, extensions }) => {
    const violations = (extensions?.violations ?? []).map((violation) => ({
      text: `${violation.path.at(-1)} ${violation.message}`,
      open: () => goTo(path?.[0], [...violation.path]),
    }));
    const [place] = path ? [] : (locations ?? []);
    if (violations.length > 0 || !place) return violations;
    const position = { lineNumber: place.line, column: place.column };
    const offset = queryEditor?.getModel()?.getOffsetAt(position) ?? 0;
    return [{ text: message, open: () => focusAt(queryEditor, offset) }];
  });
  if (links.length === 0) return null;
  return (
    <ul className="violations">
      {links.map(({ text, open }) => (
        <li key={text}>
          <button type="button" className="small-button" title="Go to the value" onClick={open}>
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}

/**
 * Returns the offset of a value in the query, or its path in the variables.
 *
 * @param field the response key of the field with the wrong argument. `undefined` if the path begins
 *   with a variable.
 */
function placeOf(query: string, field: string | number | undefined, path: JSONPath) {
  if (field === undefined) return path;
  let value: ValueNode | undefined;
  const Field = ({ alias, name, arguments: given }: FieldNode) => {
    if ((alias ?? name).value !== field) return;
    value ??= given?.find(({ name }) => name.value === path[0])?.value;
  };
  visit(parse(query), { Field });
  for (const [index, step] of path.slice(1).entries()) {
    if (value?.kind === Kind.VARIABLE) return [value.name.value, ...path.slice(index + 1)];
    const member: ValueNode | undefined = memberOf(value, step);
    if (member === undefined) break;
    value = member;
  }
  return value?.kind === Kind.VARIABLE ? [value.name.value] : (value?.loc?.start ?? 0);
}

function memberOf(value: ValueNode | undefined, step: string | number): ValueNode | undefined {
  if (value?.kind === Kind.LIST) return value.values[Number(step)];
  if (value?.kind !== Kind.OBJECT) return undefined;
  return value.fields.find(({ name }) => name.value === step)?.value;
}

/** Returns the offset of a value in the variables, or of the nearest object around it. */
function offsetIn(variables: string, path: JSONPath): number {
  const tree = parseTree(variables);
  for (let { length } = path; tree && length > 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node) return node.offset;
  }
  return 0;
}

function focusAt(editor: MonacoEditor | undefined, offset: number): void {
  const position = editor?.getModel()?.getPositionAt(offset);
  if (!editor || !position) return;
  editor.setPosition(position);
  editor.revealPositionInCenter(position);
  editor.focus();
}
