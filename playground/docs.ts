/**
 * Searches the documentation. While the search field has words, the contents list only the sections
 * that contain them all.
 */

const MAX_RESULTS = 40;

const field = document.getElementById('search');
const count = document.getElementById('found');
const results = document.getElementById('results');
const pages = document.getElementById('pages');
const parts = [...document.querySelectorAll('section > :is(h1, h2, h3)')].map((heading) => {
  const section = heading.closest('section');
  const page = section?.querySelector('h1')?.textContent ?? '';
  const title = heading.textContent;
  return {
    address: `#${heading.id || section?.id}`,
    title: title === page ? page : `${page}: ${title}`,
    body: textBelow(heading),
    text: `${page} ${title} ${textBelow(heading)}`.toLowerCase(),
  };
});

/** Returns the text between a heading and the next one. */
function textBelow(heading: Element): string {
  const texts: string[] = [];
  let next = heading.nextElementSibling;
  while (next && !/^H[1-3]$/.test(next.tagName)) {
    texts.push(next.textContent);
    next = next.nextElementSibling;
  }
  return texts.join(' ');
}

function search(words: readonly string[]): void {
  const isOn = words.length > 0;
  const matching = parts.filter(({ text }) => isOn && words.every((word) => text.includes(word)));
  // A section with the words in its heading is probably the wanted one, so it comes first.
  const isNamed = ({ title }: { readonly title: string }) => {
    return words.every((word) => title.toLowerCase().includes(word));
  };
  const sorted = matching.toSorted((a, b) => Number(isNamed(b)) - Number(isNamed(a)));
  const shown = sorted.slice(0, MAX_RESULTS);
  const sections = matching.length === 1 ? 'section' : 'sections';
  if (count) count.textContent = isOn ? `${matching.length || 'No'} ${sections} found.` : '';
  results?.replaceChildren(
    ...shown.map(({ address, title, body }) => {
      const item = document.createElement('li');
      const link = document.createElement('a');
      link.href = address;
      link.textContent = title;
      item.append(link, excerptOf(body, words[0] ?? ''));
      return item;
    }),
  );
  results?.toggleAttribute('hidden', !isOn);
  pages?.toggleAttribute('hidden', isOn);
  if (isOn && !matchMedia('(width > 900px)').matches) scrollTo(0, 0);
}

/** Returns the words around the first occurrence of `word`, which is marked. */
function excerptOf(text: string, word: string): HTMLElement {
  const found = text.toLowerCase().indexOf(word);
  const at = Math.max(0, found);
  // The word may be in the title and not in the text.
  const end = found < 0 ? 0 : at + word.length;
  const excerpt = document.createElement('small');
  const mark = document.createElement('mark');
  mark.textContent = text.slice(at, end);
  excerpt.append(
    text.slice(Math.max(0, at - 30), at).replace(/^\S*\s/, ''),
    mark,
    text.slice(end, end + 60).replace(/\s\S*$/, ''),
    ' …',
  );
  return excerpt;
}

// Enter opens the first result.
field?.addEventListener('keydown', ({ key }) => {
  if (key === 'Enter') results?.querySelector('a')?.click();
});

field?.addEventListener('input', () => {
  search((field as HTMLInputElement).value.toLowerCase().split(/\s+/).filter(Boolean));
});

export {};
