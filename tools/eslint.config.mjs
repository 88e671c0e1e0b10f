import graphql from '@graphql-eslint/eslint-plugin';

const { rules: recommended } = graphql.configs['flat/schema-recommended'];
const { rules: relay } = graphql.configs['flat/schema-relay'];
const [, naming] = recommended['@graphql-eslint/naming-convention'];

const MUTATION_FIELD =
  ':matches(ObjectTypeDefinition, ObjectTypeExtension)[name.value=Mutation] > FieldDefinition';

/**
 * Rules for the public graph. Its readers have only the graph, so everything has a description and
 * the same kind of name.
 */
export default [
  {
    files: ['schema/**/*.graphql'],
    plugins: { '@graphql-eslint': graphql },
    languageOptions: {
      parser: graphql.parser,
      parserOptions: { graphQLConfig: { schema: 'schema/**/*.graphql' } },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      ...recommended,
      ...relay,

      '@graphql-eslint/require-description': [
        'error',
        {
          types: true,
          rootField: true,
          FieldDefinition: true,
          InputValueDefinition: true,
          EnumValueDefinition: true,
          DirectiveDefinition: true,
        },
      ],

      '@graphql-eslint/naming-convention': [
        'error',
        {
          ...naming,
          InputObjectTypeDefinition: { style: 'PascalCase', requiredPattern: /Input$/ },
        },
      ],
      '@graphql-eslint/input-name': [
        'error',
        { checkInputType: true, caseSensitiveInputType: false },
      ],
      '@graphql-eslint/no-scalar-result-type-on-mutation': 'error',
      '@graphql-eslint/require-nullable-fields-with-oneof': 'error',

      // A failed root field must not fail its siblings, so every root field is nullable.
      '@graphql-eslint/require-nullable-result-in-root': 'error',

      // A normalized cache needs `id`. These types are part of another object, or are identified by
      // the platform's id.
      '@graphql-eslint/strict-id-in-types': [
        'error',
        {
          exceptions: {
            suffixes: ['Payload', 'Connection', 'Edge'],
            types: [
              'Activity',
              'Case',
              'FormCapabilities',
              'FormField',
              'FormFieldOption',
              'FormReference',
              'InstanceCapabilities',
              'Link',
              'PageInfo',
              'Rule',
              'RuleParameter',
              'Viewer',
            ],
          },
        },
      ],

      // The platform pages forward only. Lists beside `edges` are not pages: a form's links, a
      // rule's parameters.
      '@graphql-eslint/relay-arguments': ['error', { includeBoth: false }],
      '@graphql-eslint/relay-edge-types': ['error', { listTypeCanWrapOnlyEdgeType: false }],

      'no-restricted-syntax': [
        'error',
        {
          selector: `${MUTATION_FIELD} > .gqlType Name[value!=/Payload$/]`,
          message: 'A mutation returns its own payload type, so that fields can be added to it.',
        },
        {
          selector: `${MUTATION_FIELD} > InputValueDefinition > .gqlType[kind!=NonNullType]`,
          message: "A mutation's `input` is required.",
        },
        {
          selector: 'ListType > NamedType',
          message: 'The members of a list are not nullable.',
        },
      ],

      // `id` is the global id; `formId` and `caseId` are the platform's ids and keep their prefix.
      '@graphql-eslint/no-typename-prefix': 'off',

      // A description of one sentence is in quotes, a longer one in a block. Both are allowed.
      '@graphql-eslint/description-style': 'off',
    },
  },
];
