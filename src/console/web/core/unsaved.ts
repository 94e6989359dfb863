// What somebody typed and has not saved. Leaving it asks first: a link, the back button, closing a dialog or the tab.
import { signal } from '@preact/signals'

/** One form. */
export type Source = object

const sources = new Set<Source>()
let answer: ((isLeaving: boolean) => void) | undefined

/** Whether the dialog with the question is to be shown. */
export const isAskingToLeave = signal(false)

export const isUnsaved = (source: Source): boolean => sources.has(source)

export function setUnsaved(source: Source, isOne: boolean): void {
  if (isOne) sources.add(source)
  else sources.delete(source)
  // Only while it is needed: with it, browsers do not keep the page for their back button.
  if (sources.size > 0) addEventListener('beforeunload', hold)
  else removeEventListener('beforeunload', hold)
}

const hold = (event: BeforeUnloadEvent): void => event.preventDefault()

export function forgetUnsaved(): void {
  for (const source of [...sources]) setUnsaved(source, false)
}

export const hasUnsaved = (): boolean => sources.size > 0

/** Asks if anything, or this form, is unsaved. Resolves to whether it may go, and forgets what is left behind. */
export async function mayLeave(source?: Source): Promise<boolean> {
  if (source ? !isUnsaved(source) : !hasUnsaved()) return true
  answer?.(false)
  isAskingToLeave.value = true
  const isLeaving = await new Promise<boolean>((resolve) => {
    answer = resolve
  })
  if (!isLeaving) return false
  if (source) setUnsaved(source, false)
  else forgetUnsaved()
  return true
}

export function answerLeaving(isLeaving: boolean): void {
  isAskingToLeave.value = false
  answer?.(isLeaving)
  answer = undefined
}
