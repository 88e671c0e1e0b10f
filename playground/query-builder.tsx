import {
  type GraphiQLPlugin,
  tryParseJSONC,
  useGraphiQL,
  useGraphiQLActions,
  useOperationsEditorState,
  useOptimisticState,
} from '@graphiql/react';
import {
  type ArgumentNode,
  type DefinitionNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  type InlineFragmentNode,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isRequiredArgument,
  isRequiredInputField,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  parseType,
  print,
  type SelectionNode,
  TypeInfo,
  type ValueNode,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { useEffect, useRef, useState } from 'react';

import { FilterField, hasWords } from './filter-field.tsx';
import { PluginIcon } from './plugin-icon.tsx';

/** The panel that writes a query from the fields and arguments that are ticked. */
export const queryBuilder: GraphiQLPlugin = {
  title: 'Query Builder',
  icon: BuilderIcon,
  content: QueryBuilder,
};

const TICKED_STAYS = 'Filter; selected fields stay';

function QueryBuilder() {
  const schema = useGraphiQL(({ schema }) => schema);
  const [text, setText] = useOptimisticState(useOperationsEditorState());
  const [kind, setKind] = useState(OperationTypeNode.QUERY);
  const [filter, setFilter] = useState('');
  const panel = useRef<HTMLElement>(null);
  const document = parseText(text);
  const operations =
    document?.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION) ?? [];
  const isEmpty = operations.length === 0;
  const first = operations[0]?.selectionSet.selections.find(({ kind }) => kind === Kind.FIELD) as
    | FieldNode
    | undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is ticked may stand far below, and each tab has its own.
  useEffect(() => {
    panel.current?.querySelector('input:checked')?.scrollIntoView({ block: 'nearest' });
  }, [first?.name.value]);
  const kinds = Object.values(OperationTypeNode).filter((one) => schema?.getRootType(one));
  // Comments above the query stay; those within are lost when it is printed.
  const comments = /^(?:#.*\n)*/.exec(text)?.[0] ?? '';
  const replace = (old: OperationDefinitionNode, selections: readonly SelectionNode[]) => {
    const all = document?.definitions ?? [];
    const operation: OperationDefinitionNode = {
      ...old,
      selectionSet: { kind: Kind.SELECTION_SET, selections },
    };
    const changed = schema && selections.length > 0 ? [withVariables(schema, operation, all)] : [];
    const definitions = all.includes(old)
      ? all.flatMap((one) => (one === old ? changed : [one]))
      : [...all, ...changed];
    setText(comments + print({ kind: Kind.DOCUMENT, definitions }));
  };
  return (
    <section className="builder" aria-label="Query Builder" ref={panel}>
      <h2 className="samples-title">Query Builder</h2>
      <FilterField
        label="Filter fields"
        placeholder={TICKED_STAYS}
        value={filter}
        onChange={setFilter}
      />
      {document === undefined && (
        <p className="samples-none">The query cannot be read: correct it in the editor.</p>
      )}
      {document !== undefined && isEmpty && (
        <select
          className="field"
          aria-label="Kind of operation"
          value={kind}
          onChange={(event) => setKind(event.target.value as OperationTypeNode)}
        >
          {kinds.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      )}
      {schema &&
        document &&
        (isEmpty ? [blankOperation(kind)] : operations).map((operation, index) => {
          const type = schema.getRootType(operation.operation);
          const title = [operation.operation, operation.name?.value].filter(Boolean).join(' ');
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: operations have no other identity, and their names change
            <div key={index}>
              <h3 className="samples-group">{title}</h3>
              {type && (
                <Fields
                  schema={schema}
                  type={type}
                  filter={filter}
                  selections={operation.selectionSet.selections}
                  onChange={(selections) => replace(operation, selections)}
                />
              )}
            </div>
          );
        })}
    </section>
  );
}

/** `undefined` for what is no document; an empty one for an empty text. */
function parseText(text: string): DocumentNode | undefined {
  if (text.replaceAll(/#.*/g, '').trim() === '') return { kind: Kind.DOCUMENT, definitions: [] };
  try {
    return parse(text, { noLocation: true });
  } catch {
    return undefined;
  }
}

const blankOperation = (operation: OperationTypeNode): OperationDefinitionNode => ({
  kind: Kind.OPERATION_DEFINITION,
  operation,
  selectionSet: { kind: Kind.SELECTION_SET, selections: [] },
});

/** An operation with definitions of the variables that are used in it, by their places, and of no others. */
function withVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  all: readonly DefinitionNode[],
): OperationDefinitionNode {
  const types = new Map<string, string>();
  const info = new TypeInfo(schema);
  const Variable = ({ name }: { readonly name: { readonly value: string } }) => {
    const type = String(info.getInputType());
    const parent = getNullableType(info.getParentInputType());
    const isOneOf = isInputObjectType(parent) && parent.isOneOf && !type.endsWith('!');
    types.set(name.value, isOneOf ? `${type}!` : type);
  };
  visit({ ...operation, variableDefinitions: [] }, visitWithTypeInfo(info, { Variable }));
  const fragments = all.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).map(print);
  const isUsed = (name: string) =>
    types.has(name) || new RegExp(`\\$${name}\\b`).test(fragments.join());
  const kept = (operation.variableDefinitions ?? []).filter(({ variable }) =>
    isUsed(variable.name.value),
  );
  for (const { variable } of kept) types.delete(variable.name.value);
  const added = Array.from(types, ([name, type]) => ({
    kind: Kind.VARIABLE_DEFINITION as const,
    variable: variableNode(name),
    type: parseType(type),
  }));
  return { ...operation, variableDefinitions: [...kept, ...added] };
}

interface FieldsProps {
  readonly schema: GraphQLSchema;
  readonly type: Pick<GraphQLObjectType, 'getFields'>;
  /** Words of the names to show; what is ticked is always shown. */
  readonly filter?: string;
  readonly selections: readonly SelectionNode[];
  readonly onChange: (selections: readonly SelectionNode[]) => void;
}

/** The fields of an object or an interface. */
function Fields({ schema, type, filter = '', selections, onChange }: FieldsProps) {
  return (
    <ul className="builder-list">
      {Object.values(type.getFields()).map((field) => {
        const node = selections.find(
          (one) => one.kind === Kind.FIELD && one.name.value === field.name,
        );
        if (node === undefined && !hasWords(field.name, filter)) return null;
        const replace = (changed: FieldNode) =>
          onChange(selections.map((one) => (one === node ? changed : one)));
        return (
          <li key={field.name}>
            <Tick
              name={field.name}
              title={field.description}
              isOn={node !== undefined}
              onChange={(isOn) =>
                onChange(
                  isOn
                    ? [...selections, newField(field)]
                    : selections.filter((one) => one !== node),
                )
              }
            />
            {node?.kind === Kind.FIELD && (
              <Arguments field={field} node={node} onChange={replace} />
            )}
            {node?.kind === Kind.FIELD && (
              <Below
                schema={schema}
                type={field.type}
                selections={node.selectionSet?.selections ?? []}
                onChange={(selections) =>
                  replace({ ...node, selectionSet: { kind: Kind.SELECTION_SET, selections } })
                }
              />
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** The selectable fields below a field, also those in the types of an interface or a union. */
function Below({
  schema,
  type,
  ...change
}: Omit<FieldsProps, 'type'> & { readonly type: GraphQLOutputType }) {
  const named = getNamedType(type);
  if (!isCompositeType(named)) return null;
  return (
    <>
      {!isUnionType(named) && <Fields schema={schema} type={named} {...change} />}
      {isAbstractType(named) && (
        <PossibleTypes schema={schema} types={schema.getPossibleTypes(named)} {...change} />
      )}
    </>
  );
}

type PossibleTypesProps = Omit<FieldsProps, 'type' | 'filter'> & {
  readonly types: readonly GraphQLObjectType[];
};

/** The types that an interface or a union stands for. */
function PossibleTypes({ types, ...change }: PossibleTypesProps) {
  const [filter, setFilter] = useState('');
  return (
    <details
      className="builder-types"
      open={change.selections.some(({ kind }) => kind === Kind.INLINE_FRAGMENT)}
    >
      <summary>Fields of one type</summary>
      <FilterField
        label="Filter types"
        placeholder={TICKED_STAYS}
        value={filter}
        onChange={setFilter}
      />
      <ul className="builder-list">
        {types.map((one) => (
          <TypeFields key={one.name} type={one} filter={filter} {...change} />
        ))}
      </ul>
    </details>
  );
}

type TypeFieldsProps = FieldsProps & { readonly type: GraphQLObjectType };

/** One of these types, as an inline fragment. */
function TypeFields({ schema, type, filter = '', selections, onChange }: TypeFieldsProps) {
  const node = selections.find(
    (one) => one.kind === Kind.INLINE_FRAGMENT && one.typeCondition?.name.value === type.name,
  ) as InlineFragmentNode | undefined;
  if (node === undefined && !hasWords(type.name, filter)) return null;
  const fragment = (inner: readonly SelectionNode[]): InlineFragmentNode => ({
    kind: Kind.INLINE_FRAGMENT,
    typeCondition: { kind: Kind.NAMED_TYPE, name: nameNode(type.name) },
    selectionSet: { kind: Kind.SELECTION_SET, selections: inner },
  });
  const others = selections.filter((one) => one !== node);
  return (
    <li>
      <Tick
        name={`… on ${type.name}`}
        title={type.description}
        isOn={node !== undefined}
        onChange={(isOn) => onChange(isOn ? [...others, fragment([firstLeaf(type)])] : others)}
      />
      {node && (
        <Fields
          schema={schema}
          type={type}
          selections={node.selectionSet.selections}
          // A fragment without fields is no document.
          onChange={(inner) => onChange(inner.length > 0 ? [...others, fragment(inner)] : others)}
        />
      )}
    </li>
  );
}

interface ArgumentsProps {
  readonly field: GraphQLField<unknown, unknown>;
  readonly node: FieldNode;
  readonly onChange: (node: FieldNode) => void;
}

function Arguments({ field, node, onChange }: ArgumentsProps) {
  const given = node.arguments ?? [];
  if (field.args.length === 0) return null;
  return (
    <ul className="builder-list builder-arguments">
      {field.args.map((arg) => {
        const old = given.find(({ name }) => name.value === arg.name);
        const others = given.filter((one) => one !== old);
        return (
          <Input
            key={arg.name}
            name={arg.name}
            title={arg.description}
            type={arg.type}
            value={old?.value}
            onChange={(value) =>
              onChange({
                ...node,
                arguments: value ? [...others, argumentNode(arg.name, value)] : others,
              })
            }
          />
        );
      })}
    </ul>
  );
}

interface InputProps {
  readonly name: string;
  readonly title: string | null | undefined;
  readonly type: GraphQLInputType;
  /** `undefined` where it is not given. */
  readonly value: ValueNode | undefined;
  readonly onChange: (value: ValueNode | undefined) => void;
}

/** An argument, or a field of an input object. */
function Input({ name, title, type, value, onChange }: InputProps) {
  return (
    <li>
      <Tick
        name={`${name}:`}
        title={title}
        isOn={value !== undefined}
        onChange={(isOn) => onChange(isOn ? newValue(type) : undefined)}
      />
      {value && <VariableButton name={name} type={type} value={value} onChange={onChange} />}
      {value && <Value name={name} type={type} value={value} onChange={onChange} />}
    </li>
  );
}

/** Moves a value to the variables pane, or puts a value in a variable's place. */
function VariableButton({ name, type, value, onChange }: ValueProps) {
  const queryEditor = useGraphiQL(({ queryEditor }) => queryEditor);
  const variableEditor = useGraphiQL(({ variableEditor }) => variableEditor);
  const { updateActiveTabValues } = useGraphiQLActions();
  const move = () => {
    const values = tryParseJSONC(variableEditor?.getValue() ?? '') ?? {};
    const isTaken = (one: string) =>
      one in values || new RegExp(`\\$${one}\\b`).test(queryEditor?.getValue() ?? '');
    let free = name;
    for (let number = 2; isTaken(free); number++) free = `${name}${number}`;
    const variables = JSON.stringify(
      { ...values, [free]: valueFromASTUntyped(value, values) },
      null,
      2,
    );
    variableEditor?.setValue(variables);
    updateActiveTabValues({ variables });
    onChange(variableNode(free));
  };
  const isVariable = value.kind === Kind.VARIABLE;
  return (
    <button
      type="button"
      className="builder-button"
      aria-label={`$ Variable for ${name}`}
      aria-pressed={isVariable}
      title="Make it a variable, with its value in the pane of variables"
      onClick={isVariable ? () => onChange(newValue(type)) : move}
    >
      $
    </button>
  );
}

interface ValueProps extends Pick<InputProps, 'name' | 'type'> {
  readonly value: ValueNode;
  readonly onChange: (value: ValueNode) => void;
}

function Value({ name, type: given, value, onChange }: ValueProps) {
  const type = getNullableType(given);
  if (value.kind === Kind.VARIABLE) return <code>{print(value)}</code>;
  if (isListType(type)) {
    const items = value.kind === Kind.LIST ? value.values : [value];
    const change = (values: readonly ValueNode[]) => onChange({ kind: Kind.LIST, values });
    return (
      <ol className="builder-list">
        {items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: values have no identity but their place
          <li key={index}>
            <Value
              name={`${name} ${index + 1}`}
              type={type.ofType}
              value={item}
              onChange={(changed) => change(items.with(index, changed))}
            />
            <button
              type="button"
              className="builder-button"
              aria-label={`Remove ${name} ${index + 1}`}
              onClick={() => change(items.toSpliced(index, 1))}
            >
              Remove
            </button>
          </li>
        ))}
        <li>
          <button
            type="button"
            className="builder-button"
            onClick={() => change([...items, newValue(type.ofType)])}
          >
            Add to {name}
          </button>
        </li>
      </ol>
    );
  }
  if (isInputObjectType(type) && value.kind === Kind.OBJECT) {
    return (
      <ul className="builder-list">
        {Object.values(type.getFields()).map((field) => {
          const old = value.fields.find((one) => one.name.value === field.name);
          const others = value.fields.filter((one) => one !== old);
          return (
            <Input
              key={field.name}
              name={field.name}
              title={field.description}
              type={field.type}
              value={old?.value}
              onChange={(changed) =>
                onChange({
                  ...value,
                  fields: changed ? [...others, objectField(field.name, changed)] : others,
                })
              }
            />
          );
        })}
      </ul>
    );
  }
  if (value.kind === Kind.NULL || value.kind === Kind.OBJECT || value.kind === Kind.LIST) {
    return <code>{print(value)}</code>;
  }
  const choices = isEnumType(type) ? type.getValues().map(({ name }) => name) : ['true', 'false'];
  if (isEnumType(type) || value.kind === Kind.BOOLEAN) {
    return (
      <select
        className="builder-value"
        aria-label={name}
        value={print(value)}
        onChange={({ target }) => onChange(leafValue(type, target.value))}
      >
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  }
  return (
    <input
      className="builder-value"
      aria-label={name}
      value={value.value}
      onChange={({ target }) => onChange(leafValue(type, target.value))}
    />
  );
}

interface TickProps {
  readonly name: string;
  readonly title: string | null | undefined;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

const Tick = ({ name, title, isOn, onChange }: TickProps) => (
  <label className="builder-tick" title={title ?? undefined}>
    <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
    {name}
  </label>
);

/** A field with the arguments that it needs, and one field below it. */
function newField(field: GraphQLField<unknown, unknown>): FieldNode {
  const type = getNamedType(field.type);
  return {
    ...plainField(field.name),
    arguments: field.args
      .filter(isRequiredArgument)
      .map(({ name, type }) => argumentNode(name, newValue(type))),
    ...(isCompositeType(type) && {
      selectionSet: {
        kind: Kind.SELECTION_SET,
        selections: [isUnionType(type) ? plainField('__typename') : firstLeaf(type)],
      },
    }),
  };
}

/** The id, by which caches know an object, or another value. */
function firstLeaf(type: Pick<GraphQLObjectType, 'getFields'>): FieldNode {
  const { id, ...others } = type.getFields();
  const isPlain = ({ type, args }: GraphQLField<unknown, unknown>) =>
    isLeafType(getNamedType(type)) && !args.some(isRequiredArgument);
  return plainField((id ?? Object.values(others).find(isPlain))?.name ?? '__typename');
}

/** A value to begin with. */
function newValue(given: GraphQLInputType): ValueNode {
  const type = getNullableType(given);
  if (isListType(type)) return { kind: Kind.LIST, values: [newValue(type.ofType)] };
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter(isRequiredInputField);
    return {
      kind: Kind.OBJECT,
      fields: required.map(({ name, type }) => objectField(name, newValue(type))),
    };
  }
  return leafValue(
    type,
    isEnumType(type) ? (type.getValues()[0]?.name ?? '') : (FIRST_VALUES[type.name] ?? ''),
  );
}

const FIRST_VALUES: Readonly<Record<string, string>> = {
  Boolean: 'true',
  Int: '10',
  Float: '1',
  Decimal: '1',
  Long: '1',
};

/** Converts the text of a scalar or an enum value to a GraphQL value. */
function leafValue(type: GraphQLInputType, text: string): ValueNode {
  if (isEnumType(type)) return { kind: Kind.ENUM, value: text };
  const { name } = getNamedType(type);
  if (name === 'Boolean') return { kind: Kind.BOOLEAN, value: text === 'true' };
  if (name === 'Int' && /^-?\d+$/.test(text))
    return { kind: Kind.INT, value: String(Number(text)) };
  if (name === 'Float' && /^-?\d+(\.\d+)?$/.test(text)) return { kind: Kind.FLOAT, value: text };
  return { kind: Kind.STRING, value: text };
}

const nameNode = (value: string) => ({ kind: Kind.NAME, value }) as const;
const variableNode = (name: string) => ({ kind: Kind.VARIABLE, name: nameNode(name) }) as const;
const plainField = (name: string): FieldNode => ({ kind: Kind.FIELD, name: nameNode(name) });
const argumentNode = (name: string, value: ValueNode): ArgumentNode => ({
  kind: Kind.ARGUMENT,
  name: nameNode(name),
  value,
});
const objectField = (name: string, value: ValueNode) =>
  ({ kind: Kind.OBJECT_FIELD, name: nameNode(name), value }) as const;

function BuilderIcon() {
  return <PluginIcon path="M3 3.5h4v4H3zM3 12.5h4v4H3zM4 5.5l1 1 3-4M10.5 5.5H17M10.5 14.5H17" />;
}
