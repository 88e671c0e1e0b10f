/** A change as it was found. */
interface Found {
  readonly type: string;
  readonly path?: string;
}

/** What is new as a whole: all that is in it, or said of it, is new as well. */
const NEW = /^(TYPE|FIELD|INPUT_FIELD|ENUM_VALUE|FIELD_ARGUMENT|DIRECTIVE)_ADDED$/;
const USAGE = /^DIRECTIVE_USAGE_/;

/** Leaves out what another change says already: all that is in something new, and the directive of a deprecation. */
export function tellOnce<T extends Found>(changes: readonly T[]): T[] {
  const pathsOf = (pattern: RegExp) =>
    new Set(changes.flatMap(({ type, path }) => (pattern.test(type) && path !== undefined ? [path] : [])));
  const added = pathsOf(NEW);
  const used = pathsOf(USAGE);
  const told = pathsOf(/^(?!DIRECTIVE_USAGE_)/);
  const isInside = (path: string): boolean => {
    const above = path.slice(0, Math.max(0, path.lastIndexOf('.')));
    return above !== '' && (added.has(above) || used.has(above) || isInside(above));
  };
  return changes.filter(({ type, path = '' }) => {
    if (isInside(path) || (added.has(path) && !NEW.test(type))) return false;
    return !(USAGE.test(type) && told.has(path));
  });
}
