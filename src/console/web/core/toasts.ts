// Short notices at the edge of the screen, announced by screen readers. An error stays until it is dismissed.
import { signal } from '@preact/signals'
import { CANCELLED, toApiError } from '../core/api.ts'

export interface Toast {
  readonly id: number
  readonly tone: 'good' | 'bad'
  readonly text: string
}

const SHOWN_MS = 6_000
const MOST = 4
let nextId = 1

export const toasts = signal<readonly Toast[]>([])

export const dismiss = (id: number): void => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

function show(tone: Toast['tone'], text: string): void {
  const id = nextId++
  toasts.value = [...toasts.value, { id, tone, text }].slice(-MOST)
  if (tone === 'good') setTimeout(() => dismiss(id), SHOWN_MS)
}

export const say = (text: string): void => show('good', text)

export function sayError(error: unknown): void {
  const { code, message, requestId } = toApiError(error)
  if (code === CANCELLED) return
  show('bad', requestId === undefined ? message : `${message} (request ${requestId})`)
}
