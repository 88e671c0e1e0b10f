import type { ApolloServerPlugin, BaseContext } from '@apollo/server';

const GRAPHQL_MEDIA_TYPE = 'application/graphql-response+json';
const LEGACY_MEDIA_TYPE = 'application/json';

/** Codes by which the server says: the document or its variables are wrong. */
const DOCUMENT_FAULTS: readonly unknown[] = [
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
];

/** Marks an error as a fault of the document itself, which GraphQL over HTTP words by 200 for legacy clients. */
export const DOCUMENT_FAULT = 'documentFault';

/**
 * The one place that decides the status of a well-formed request for a document that is wrong: 400, but 200 for clients
 * who name `application/json` alone, as GraphQL over HTTP wants for them. What a limit refuses is 400 for everybody.
 */
export const answerStatus: ApolloServerPlugin<BaseContext> = {
  async requestDidStart({ request }) {
    return {
      async willSendResponse({ response, errors = [] }) {
        const isDocumentFault =
          errors.length > 0 &&
          errors.every(({ extensions: { code, [DOCUMENT_FAULT]: mark } }) => mark || DOCUMENT_FAULTS.includes(code));
        if (response.http.status === 400 && isDocumentFault && isLegacy(request.http?.headers.get('accept'))) {
          response.http.status = 200;
        }
      },
    };
  },
};

const isLegacy = (accept = ''): boolean => accept.includes(LEGACY_MEDIA_TYPE) && !accept.includes(GRAPHQL_MEDIA_TYPE);
