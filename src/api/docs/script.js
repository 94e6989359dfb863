// Sends requests from the forms of the page. The key stays in its field: nothing here stores it.
const key = document.querySelector('#key')

for (const hidden of document.querySelectorAll('.key, form.try')) hidden.hidden = false

const valuesIn = (form, place) =>
  [...form.querySelectorAll(`[data-in="${place}"]`)]
    .map((field) => [field.name, field.value.trim()])
    .filter(([, value]) => value !== '')

function requestOf(form) {
  const path = valuesIn(form, 'path').reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)),
    form.dataset.path,
  )
  const query = new URLSearchParams(valuesIn(form, 'query')).toString()
  const text = form.elements.namedItem('body')?.value
  const headers = { authorization: `Bearer ${key.value.trim()}` }
  if (text !== undefined) headers['content-type'] = 'application/json'
  // The browser itself names the type of a form, with its boundary.
  const body = form.querySelector('[type="file"]') === null ? text : new FormData(form)
  return [
    `/api/v1${path}${query && `?${query}`}`,
    { method: form.dataset.method, headers, body, redirect: 'error' },
  ]
}

const isMeant = (form) =>
  form.dataset.method === 'GET' ||
  !key.value.startsWith('ck_live_') ||
  window.confirm('This is a live key: what you send reaches real people. Send it?')

const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text.slice(0, 20_000)
  }
}

async function send(form) {
  const [url, options] = requestOf(form)
  const answer = await fetch(url, options)
  const names = ['x-request-id', 'ratelimit', 'retry-after', 'idempotent-replayed']
  const headers = names.flatMap((name) => {
    const value = answer.headers.get(name)
    return value === null ? [] : [`${name}: ${value}`]
  })
  return [`${answer.status} ${answer.statusText}`, ...headers, '', pretty(await answer.text())].join('\n')
}

document.addEventListener('submit', async (event) => {
  event.preventDefault()
  const form = event.target
  const shown = form.querySelector('.answer')
  if (key.value.trim() === '') {
    key.focus()
    return
  }
  if (!isMeant(form)) return
  shown.hidden = false
  shown.textContent = '...'
  shown.textContent = await send(form).catch((error) => `No answer: ${error.message}`)
})
