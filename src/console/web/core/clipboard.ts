import { say } from './toasts.ts'

export async function writeClipboard(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  // Without TLS browsers offer no clipboard API, but execCommand still works.
  const area = document.createElement('textarea')
  area.value = text
  const place = document.querySelector('dialog[open]') ?? document.body
  place.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

/** Copies the absolute address of a place in the console, for somebody else to open. */
export async function copyLink(href: string): Promise<void> {
  await writeClipboard(location.origin + href)
  say('The link is copied.')
}
