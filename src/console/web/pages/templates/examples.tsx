import { Field } from '../../parts/field.tsx'
import { variablesOf } from './draft.ts'
import type { FormPart } from './form.tsx'

/** The reviewer sees the text with these in the place of the variables. */
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
