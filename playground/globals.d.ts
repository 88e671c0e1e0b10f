/** File names of the editor's workers, by the editor's label. `build.mjs` defines them. */
declare const WORKERS: Readonly<Record<string, string>>;

declare module '*.css';

declare module '*.graphql' {
  const text: string;
  export = text;
}
