// Whether somebody changed the fields of a form: what is typed and taken back is no change.

export interface FormField {
  readonly type: string
  readonly value: string
  readonly checked?: boolean
}

export interface FormChanges {
  /** Called before somebody can change the field. */
  meet(field: FormField): void
  /** Called after a change. Returns whether any field differs from what it was. */
  change(field: FormField): boolean
}

export function createFormChanges(): FormChanges {
  const before = new Map<FormField, string>()
  const changed = new Set<FormField>()
  return {
    meet(field) {
      if (!before.has(field)) before.set(field, stateOf(field))
    },
    change(field) {
      if (stateOf(field) === before.get(field)) changed.delete(field)
      else changed.add(field)
      return changed.size > 0
    },
  }
}

const stateOf = ({ type, value, checked }: FormField): string =>
  type === 'checkbox' || type === 'radio' ? String(checked) : value
