import { GraphQLError, Kind } from 'graphql';

/**
 * Gives what GraphQL itself says of a request without the values that it quotes: names and types of the schema stay, and
 * the error's place says which value is meant.
 */
export function withoutValues(message: string, error: unknown): string {
  if (!(error instanceof GraphQLError)) return message;
  if (message.startsWith('Syntax Error: ')) return message.replace(FOUND, '$1').replace(QUOTED_END, '.');
  const kind = error.nodes?.[0]?.kind;
  if (kind === undefined || !VALUES.includes(kind)) return message;
  return `${OF_SCHEMA.exec(message)?.[0] ?? 'This value does not fit its type'}.`;
}

/** A token that is quoted after its kind. */
const FOUND = /\b(Name|String|BlockString|Int|Float|Comment) ".*"/s;
/** Characters that are quoted at the end. */
const QUOTED_END = /: ".*$/s;
/** What is said of a value in words of the schema alone. */
const OF_SCHEMA =
  /^(Expected value of type "[^"]+"|Field "[\w.]+" of required type "[^"]+" was not provided|\w+ cannot represent [a-z -]+ value|Enum "\w+" cannot represent non-enum value)/;

const VALUES: readonly string[] = [
  Kind.INT,
  Kind.FLOAT,
  Kind.STRING,
  Kind.BOOLEAN,
  Kind.NULL,
  Kind.ENUM,
  Kind.LIST,
  Kind.OBJECT,
];
