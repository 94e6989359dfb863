// Opens handsets: any number from an input, and the numbers with a fixed behaviour from a list.
import { useState } from 'preact/hooks'
import { isUserId } from '../../web/browser/phone.ts'
import { groups, waIdOf } from './behaviours.ts'
import { open, opened } from './opened.ts'

export const Rail = () => (
  <nav class="rail" aria-label="Handsets to open">
    <OpenAny />
    <details open>
      <summary>Numbers ending in</summary>
      {groups.map(({ title, behaviours }) => (
        <section key={title}>
          <h2>{title}</h2>
          <ul>
            {behaviours.map((behaviour) => (
              <li key={behaviour.ending}>
                <button
                  type="button"
                  class="known"
                  aria-pressed={opened.value.includes(waIdOf(behaviour))}
                  onClick={() => open(waIdOf(behaviour))}
                >
                  <code>{behaviour.ending}</code>
                  <span>{behaviour.says}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </details>
  </nav>
)

function OpenAny() {
  const [text, setText] = useState('')
  const [isWrong, setWrong] = useState(false)
  return (
    <form
      class="open-any field"
      onSubmit={(event) => {
        event.preventDefault()
        const waId = isUserId(text.trim()) ? text.trim() : text.replace(/\D/g, '')
        const isRight = isUserId(waId) || (waId.length >= 5 && waId.length <= 20)
        setWrong(!isRight)
        if (!isRight) return
        open(waId)
        setText('')
      }}
    >
      <label for="open-any">Open a handset</label>
      <div class="with-button">
        <input
          id="open-any"
          autocomplete="off"
          placeholder="+1 555 …"
          value={text}
          {...(isWrong && { 'aria-invalid': true, 'aria-describedby': 'open-any-error' })}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" class="button">
          Open
        </button>
      </div>
      {isWrong && (
        <p class="field-error" id="open-any-error">
          A phone number has 5 to 20 digits. A user id is like PT.44100928.
        </p>
      )}
    </form>
  )
}
