import { useState } from 'preact/hooks'
import { api } from '../../core/api.ts'
import { plural } from '../../core/format.ts'
import { useAction } from '../../core/load.ts'
import { loadMe, type Me } from '../../core/session.ts'
import { say, sayError } from '../../core/toasts.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Facts, Section } from '../../parts/facts.tsx'
import { Field } from '../../parts/field.tsx'
import { Note, Problem } from '../../parts/states.tsx'
import { Enrol, type Offer } from './enrol.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

type Opened =
  | { readonly type: 'enrol'; readonly offer: Offer }
  | { readonly type: 'codes'; readonly codes: readonly string[] }
  | { readonly type: 'renew' | 'turnOff' }

interface WithCodes {
  readonly recoveryCodes: readonly string[]
}

export function SecondFactorSection({ operator }: { readonly operator: Me['operator'] }) {
  const [opened, setOpened] = useState<Opened>()
  const offering = useAction()
  const close = () => setOpened(undefined)
  const offer = () =>
    offering.run(async () => setOpened({ type: 'enrol', offer: await api.post<Offer>('/me/totp') }))
  const shown = async ({ recoveryCodes }: WithCodes) => setOpened({ type: 'codes', codes: recoveryCodes })
  // Not before: what shows the codes may go once the factor is on.
  const kept = () => {
    close()
    void loadMe().catch(sayError)
  }
  return (
    <Section title="Second factor">
      {operator.totp ? (
        <IsOn operator={operator} onOpen={setOpened} onMove={() => void offer()} />
      ) : (
        <>
          <Facts
            facts={[
              ['State', <Badge key="state">Off</Badge>],
              [
                'What it does',
                'A sign-in then takes a code of an authenticator app too, so that your password alone opens nothing.',
              ],
            ]}
          />
          <div class="section-actions">
            <Button isBusy={offering.isBusy} onClick={() => void offer()}>
              Turn on
            </Button>
          </div>
        </>
      )}
      <Problem error={offering.error} />
      {opened?.type === 'enrol' && (
        <Enrol offer={opened.offer} isMove={operator.totp} onClose={close} onDone={shown} />
      )}
      {opened?.type === 'codes' && (
        <RecoveryCodes email={operator.email} codes={opened.codes} onClose={kept} />
      )}
      {opened?.type === 'renew' && <Renew onClose={close} onDone={shown} />}
      {opened?.type === 'turnOff' && <TurnOff onClose={close} />}
    </Section>
  )
}

const FEW = 3

const IsOn = ({
  operator: { recoveryCodesLeft: left },
  onOpen,
  onMove,
}: {
  readonly operator: Me['operator']
  onOpen(opened: Opened): void
  onMove(): void
}) => (
  <>
    <Facts
      facts={[
        [
          'State',
          <Badge key="state" tone="good">
            On
          </Badge>,
        ],
        ['Recovery codes', left === 0 ? 'None left' : `${plural(left, 'code')} left`],
      ]}
    />
    {left < FEW && (
      <Note tone="warn">
        Make new recovery codes before the last is used: without one, a lost phone locks you out.
      </Note>
    )}
    <div class="section-actions">
      <Button onClick={() => onOpen({ type: 'renew' })}>New recovery codes</Button>
      <Button onClick={onMove}>Move to another app</Button>
      <Button onClick={() => onOpen({ type: 'turnOff' })}>Turn off</Button>
    </div>
  </>
)

function Renew({ onClose, onDone }: { onClose(): void; onDone(answer: WithCodes): Promise<void> }) {
  const [password, setPassword] = useState('')
  const action = useAction()
  return (
    <FormDialog
      title="New recovery codes"
      submit="Make new codes"
      isBusy={action.isBusy}
      error={action.error}
      onClose={onClose}
      onSubmit={() =>
        void action.run(async () => onDone(await api.post<WithCodes>('/me/recovery-codes', { password })))
      }
    >
      <p>The codes that you have now are void from then on. The new ones are shown once.</p>
      <CurrentPassword value={password} error={action.error?.of('password')} onInput={setPassword} />
    </FormDialog>
  )
}

function TurnOff({ onClose }: { onClose(): void }) {
  const [password, setPassword] = useState('')
  const action = useAction()
  const submit = async () => {
    const isDone = await action.run(async () => {
      await api.delete('/me/totp', { password })
      await loadMe()
    })
    if (!isDone) return
    say('The second factor is off.')
    onClose()
  }
  return (
    <FormDialog
      title="Turn off the second factor?"
      submit="Turn off"
      look="danger"
      isBusy={action.isBusy}
      error={action.error}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <p>Your password alone will sign you in, and your recovery codes are void.</p>
      <CurrentPassword value={password} error={action.error?.of('password')} onInput={setPassword} />
    </FormDialog>
  )
}

const CurrentPassword = (field: {
  readonly value: string
  readonly error: string | undefined
  onInput(value: string): void
}) => <Field label="Password" type="password" autocomplete="current-password" {...field} />
