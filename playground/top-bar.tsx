/** The head of the page: whose it is, and where the schema is. */
export function TopBar() {
  return (
    <header className="top-bar">
      <img className="top-bar-mark" src={new URL('favicon.svg', import.meta.url).href} alt="" width="24" height="24" />
      <span className="top-bar-name">Caseway</span>
      <span className="top-bar-place">Playground</span>
      <code className="top-bar-endpoint" title="The address to send queries to">
        POST {new URL('graphql', document.baseURI).pathname}
      </code>
      <a className="top-bar-button" href="schema.graphql" download="schema.graphql">
        Schema (SDL)
      </a>
    </header>
  );
}
