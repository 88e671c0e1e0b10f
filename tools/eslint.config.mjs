import graphql from '@graphql-eslint/eslint-plugin';

const { rules: recommended } = graphql.configs['flat/schema-recommended'];
const { rules: relay } = graphql.configs['flat/schema-relay'];
const [, naming] = recommended['@graphql-eslint/naming-convention'];

const MUTATION_FIELD = ':matches(ObjectTypeDefinition, ObjectTypeExtension)[name.value=Mutation] > FieldDefinition';

/** The public graph is read by people who never see this repository, so all of it is described, named and wired alike. */
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
        { ...naming, InputObjectTypeDefinition: { style: 'PascalCase', requiredPattern: /Input$/ } },
      ],
      '@graphql-eslint/input-name': ['error', { checkInputType: true, caseSensitiveInputType: false }],
      '@graphql-eslint/no-scalar-result-type-on-mutation': 'error',
      '@graphql-eslint/require-nullable-fields-with-oneof': 'error',

      // One failed root field must not cost its siblings, so every root field may be null.
      '@graphql-eslint/require-nullable-result-in-root': 'error',

      // A normalized cache needs `id`. What has none has no life of its own, or is found by what the platform calls it.
      '@graphql-eslint/strict-id-in-types': [
        'error',
        {
          exceptions: {
            suffixes: ['Payload', 'Connection', 'Edge'],
            types: [
              'Activity',
              'Case',
              'FormField',
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

      // The platform pages forward only. Lists beside `edges` are no pages: a form's links, a rule's parameters.
      '@graphql-eslint/relay-arguments': ['error', { includeBoth: false }],
      '@graphql-eslint/relay-edge-types': ['error', { listTypeCanWrapOnlyEdgeType: false }],

      'no-restricted-syntax': [
        'error',
        {
          selector: `${MUTATION_FIELD} > .gqlType Name[value!=/Payload$/]`,
          message: 'A mutation returns a payload type of its own, so that its answer can grow.',
        },
        {
          selector: `${MUTATION_FIELD} > InputValueDefinition > .gqlType[kind!=NonNullType]`,
          message: "A mutation's `input` is required.",
        },
        {
          selector: 'ListType > NamedType',
          message: 'A list has no holes: its members are not null.',
        },
      ],

      // `id` is the global id and `formId`, `caseId` the platform's, so these must not lose their first word.
      '@graphql-eslint/no-typename-prefix': 'off',

      // One sentence stands in quotes, several in a block: both styles are meant.
      '@graphql-eslint/description-style': 'off',
    },
  },
];
