import { Field } from '../../parts/field.tsx'
import type { FormPart } from './draft.ts'
import { variablesOf } from './draft.ts'

/** The provider's reviewer sees the text with these values instead of the variables. */
export function Examples({ draft, change, errorOf }: FormPart) {
  const variables = variablesOf(draft)
  if (variables.length === 0) return null
  return (
    <fieldset class="group">
      <legend>Examples</legend>
      <p class="hint">One for each variable, for the review: invented ones, never those of a customer.</p>
      <div class="columns">
        {variables.map(({ key, name, place }) => (
          <Field
            key={key}
            label={`{{${name}}}${place === 'HEADER' ? ' in the header' : ''}`}
            value={draft.examples[key] ?? ''}
            error={errorOf(key)}
            onInput={(example) => change({ examples: { ...draft.examples, [key]: example } })}
          />
        ))}
      </div>
    </fieldset>
  )
}
