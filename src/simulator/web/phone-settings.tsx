import { useId } from 'preact/hooks'
import type { HandsetView } from '../views.ts'
import type { Act } from './control.ts'

export function PhoneSettings({
  handset,
  number,
  act,
}: {
  readonly handset: HandsetView
  readonly number: string
  readonly act: Act
}) {
  const { waId, online, inbox } = handset
  const id = useId()
  const path = `handsets/${waId}`
  const hasUnread = inbox.some(
    ({ phoneNumberId, status }) => phoneNumberId === number && status === 'delivered',
  )
  const ownPermission = waId.endsWith('0025') ? 'no_permission' : 'permanent'
  const permission = handset.permissions[number]?.status ?? ownPermission
  const decide = (status: string) =>
    act('POST', `${path}/permission`, {
      to: number,
      response: status === 'no_permission' ? 'reject' : 'accept',
      isPermanent: status === 'permanent',
    })
  return (
    <div class="phone-settings">
      <div class="phone-actions">
        <div class="check">
          <input
            id={`${id}-online`}
            type="checkbox"
            {...{ role: 'switch' }}
            class="switch"
            checked={online}
            onChange={(event) => void act('PUT', path, { online: event.currentTarget.checked })}
          />
          <label for={`${id}-online`}>Online</label>
        </div>
        <button
          type="button"
          class="button small"
          disabled={!online || !hasUnread}
          onClick={() => void act('POST', `${path}/read`, { allFrom: number })}
        >
          Mark read
        </button>
      </div>
      <Choice
        label="Business may call"
        value={permission}
        options={[
          ['permanent', 'Always'],
          ['temporary', 'For 7 days'],
          ['no_permission', 'No'],
        ]}
        disabled={!online}
        onChange={(status) => void decide(status)}
      />
      <Choice
        label="Audio of calls"
        value={handset.media ?? (waId.endsWith('0021') ? 'real' : 'template')}
        options={[
          ['template', 'SDP only'],
          ['real', 'Real, echoes'],
        ]}
        onChange={(media) => void act('PUT', path, { media })}
      />
      <Choice
        label="Marketing messages"
        value={handset.stoppedMarketing ? 'stop' : 'resume'}
        options={[
          ['resume', 'Taken'],
          ['stop', 'Stopped'],
        ]}
        disabled={!online}
        onChange={(value) => void act('POST', `${path}/preferences`, { to: number, value })}
      />
    </div>
  )
}

export function Choice({
  label,
  value,
  options,
  disabled = false,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly disabled?: boolean
  onChange(value: string): void
}) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map(([option, title]) => (
          <option key={option} value={option}>
            {title}
          </option>
        ))}
      </select>
    </div>
  )
}
