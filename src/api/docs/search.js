// The search of the documentation. The index is one file, and this page searches it itself.
const form = document.querySelector('form.search')
const field = document.querySelector('#search')
const found = document.querySelector('#found')
const maxShown = 12
let index

form.hidden = false

async function load() {
  index ??= fetch('/docs/search.json').then((answer) => answer.json())
  return index
}

/** More of the asked words in the title come first. */
function matches(entries, asked) {
  const inTitle = ({ title }) => asked.filter((word) => title.toLowerCase().includes(word)).length
  return entries
    .filter(({ title, words }) =>
      asked.every((word) => words.includes(word) || title.toLowerCase().includes(word)),
    )
    .sort((one, other) => inTitle(other) - inTitle(one))
}

function show(entries) {
  const list = document.createElement('ul')
  for (const { title, href } of entries.slice(0, maxShown)) {
    const link = document.createElement('a')
    link.href = href
    link.textContent = title
    const item = document.createElement('li')
    item.append(link)
    list.append(item)
  }
  const note = document.createElement('p')
  note.className = 'note'
  note.textContent = entries.length === 0 ? 'Nothing found' : `${entries.length} found`
  found.replaceChildren(note, list)
}

async function search() {
  const asked = field.value.toLowerCase().split(/\s+/).filter(Boolean)
  if (asked.length === 0) return found.replaceChildren()
  const entries = await load().catch(() => {
    index = undefined
    return []
  })
  show(matches(entries, asked))
}

field.addEventListener('input', search)
form.addEventListener('submit', (event) => {
  event.preventDefault()
  found.querySelector('a')?.click()
})
