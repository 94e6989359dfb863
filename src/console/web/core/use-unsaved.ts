import { useEffect, useState } from 'preact/hooks'
import { createFormChanges, type FormField } from './form-changes.ts'
import { isUnsaved, mayLeave, setUnsaved } from './unsaved.ts'

interface Watched {
  readonly isFleeting?: boolean
  /** Says it where what was typed is in no form. */
  readonly hasInput?: boolean | undefined
}

/** Watches the fields of the forms in an element, by its events. */
export function useUnsaved({ isFleeting = false, hasInput }: Watched = {}) {
  const [changes, setChanges] = useState(createFormChanges)
  const [source] = useState(() => ({}))
  useEffect(() => () => setUnsaved(source, false), [])
  useEffect(() => {
    if (hasInput !== undefined) setUnsaved(source, hasInput)
  }, [hasInput])
  const fieldOf = ({ target }: Event): FormField | undefined =>
    !isFleeting && target instanceof HTMLElement && target.closest('form') !== null && 'value' in target
      ? (target as HTMLInputElement)
      : undefined
  return {
    /** To spread on the element. */
    watch: {
      onFocusIn(event: Event) {
        const field = fieldOf(event)
        if (field) changes.meet(field)
      },
      onInput(event: Event) {
        const field = fieldOf(event)
        if (field) setUnsaved(source, changes.change(field))
      },
    },
    isUnsaved: () => isUnsaved(source),
    /** Resolves to whether it may go. */
    mayLeave: () => mayLeave(source),
    /** What the fields show now is saved. */
    saved() {
      setChanges(createFormChanges())
      setUnsaved(source, false)
    },
  }
}
