// The header of the pages that the server renders. `browser/product-bar.tsx` is the same for those with scripts; a
// test in the browser compares the two.

const mark =
  '<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"/><path d="M9 10h5c6 0 3 12 9 12"/><circle cx="9" cy="22" r="2"/><circle cx="23" cy="10" r="2"/></svg>'

/** `here` is the address of the page. The page with the handsets is in development only, at an origin of its own. */
export function productBar(here: string, handsetsUrl?: string): string {
  const links = [
    { href: '/console', label: 'Console' },
    { href: '/docs', label: 'Docs' },
    ...(handsetsUrl === undefined ? [] : [{ href: handsetsUrl, label: 'Handsets' }]),
  ]
  const anchors = links.map(
    ({ href, label }) => `<a href="${href}"${href === here ? ' aria-current="true"' : ''}>${label}</a>`,
  )
  return `<header class="product-bar"><a class="product-name" href="/">${mark}<span>Switchboard</span></a>
<nav class="product-links" aria-label="Switchboard">${anchors.join('')}</nav></header>`
}
