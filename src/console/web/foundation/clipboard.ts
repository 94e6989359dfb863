import { say } from './toasts.ts'

export async function writeClipboard(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  // Without TLS browsers give no clipboard; the old way still works there.
  const area = document.createElement('textarea')
  area.value = text
  const place = document.querySelector('dialog[open]') ?? document.body
  place.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

/** The whole address of a place in the console, for somebody else to open. */
export async function copyLink(href: string): Promise<void> {
  await writeClipboard(location.origin + href)
  say('The link is copied.')
}
