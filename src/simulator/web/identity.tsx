// Who the user of a handset is to the business, and how that changes.
import { useId, useState } from 'preact/hooks'
import type { HandsetView } from '../views.ts'
import type { Act } from './control.ts'
import { close, open } from './opened.ts'
import { Choice } from './phone-settings.tsx'

interface IdentityProps {
  readonly handset: HandsetView
  readonly act: Act
}

export function Identity({ handset, act }: IdentityProps) {
  const { waId, userId, username, showsNumber } = handset
  const path = `handsets/${waId}`
  const changeNumber = async (next: string) => {
    const digits = next.replace(/\D/g, '')
    if (!(await act('POST', `${path}/change-number`, { waId: digits }))) return
    close(waId)
    open(digits)
  }
  return (
    <details class="identity">
      <summary>Identity</summary>
      <p class="hint">
        {userId === null ? 'No user id' : <code>{userId}</code>}
        {username !== null && ` · ${username}`}
      </p>
      <Choice
        label="Shows the number"
        value={showsNumber}
        options={[
          ['always', 'To everybody'],
          ['known', 'To who knows it'],
          ['never', 'To nobody'],
        ]}
        onChange={(next) => void act('PUT', path, { showsNumber: next })}
      />
      <Entry
        label="Username"
        verb="Take it"
        onEnter={(next) => act('PUT', path, { username: next === '' ? null : next })}
      />
      <Entry label="New number" verb="Change it" onEnter={changeNumber} />
      <button
        type="button"
        class="button small"
        onClick={() => void act('POST', `${path}/change-user-id`, {})}
      >
        New user id
      </button>
    </details>
  )
}

function Entry({
  label,
  verb,
  onEnter,
}: {
  readonly label: string
  readonly verb: string
  onEnter(text: string): Promise<unknown>
}) {
  const [text, setText] = useState('')
  const id = useId()
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault()
        void onEnter(text.trim()).then(() => setText(''))
      }}
    >
      <label for={id}>{label}</label>
      <div class="with-button">
        <input
          id={id}
          autocomplete="off"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" class="button small">
          {verb}
        </button>
      </div>
    </form>
  )
}
