// The page behind an invitation link: who invites into which workspace, and the form to join.
import { useEffect, useState } from 'preact/hooks'
import { api } from '../../core/api.ts'
import { useAction } from '../../core/load.ts'
import { navigate, ROOT } from '../../core/router.ts'
import { join, me, type Role } from '../../core/session.ts'
import { AuthForm } from '../../parts/auth-form.tsx'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { NewPassword } from '../../parts/new-password.tsx'
import { ErrorState, Note, Skeleton } from '../../parts/states.tsx'
import { CodeStep, useSecondStep } from '../../sign-in.tsx'
import { titleOf, withArticle } from '../members/words.ts'

interface Invitation {
  readonly workspace: string
  readonly email: string
  readonly role: Role
  readonly invitedBy: string
}

interface FormProps {
  readonly token: string
  readonly invitation: Invitation
  /** To the other form: the link does not tell whether the address has an account. */
  onOther(): void
}

export function Page() {
  const token = location.hash.slice(1)
  const [invitation, setInvitation] = useState<Invitation>()
  const [way, setWay] = useState<'new' | 'existing'>()
  const looking = useAction()
  const look = () =>
    void looking.run(async () => setInvitation(await api.post<Invitation>('/invitation', { token })))
  useEffect(look, [])
  if (invitation) {
    const isKnown = me.value?.operator.email.toLowerCase() === invitation.email.toLowerCase()
    const form = { token, invitation }
    return (way ?? (isKnown ? 'existing' : 'new')) === 'existing' ? (
      <JoinAsBefore {...form} onOther={() => setWay('new')} />
    ) : (
      <JoinAnew {...form} onOther={() => setWay('existing')} />
    )
  }
  if (looking.error?.status === 404) return <Over text={looking.error.message} />
  return looking.error ? <ErrorState error={looking.error} onRetry={look} /> : <Skeleton rows={3} />
}

/** The link is used up, so it is replaced in the history: going back must not lead to it. */
const enter = (address: string) => navigate(address, { replace: true })

const Intro = ({ invitation: { email, role, invitedBy } }: Pick<FormProps, 'invitation'>) => (
  <p>
    {invitedBy} invites <strong>{email}</strong> as {withArticle(titleOf(role))}.
  </p>
)

function JoinAnew({ token, invitation, onOther }: FormProps) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const action = useAction()
  const { error } = action
  return (
    <AuthForm
      title={`Join ${invitation.workspace}`}
      submit="Create account and join"
      action={action}
      below={
        <Button look="quiet" onClick={onOther}>
          I have an account
        </Button>
      }
      onSubmit={() =>
        void action.run(async () => enter(await join({ account: 'NEW', token, name, password })))
      }
    >
      <Intro invitation={invitation} />
      <input type="hidden" name="email" autocomplete="username" value={invitation.email} />
      <Field
        label="Your name"
        name="name"
        autocomplete="name"
        required
        maxLength={100}
        value={name}
        error={error?.of('name')}
        onInput={setName}
      />
      <NewPassword label="Password" value={password} error={error?.of('password')} onInput={setPassword} />
    </AuthForm>
  )
}

function JoinAsBefore({ token, invitation, onOther }: FormProps) {
  const [password, setPassword] = useState('')
  const action = useAction()
  const second = useSecondStep(action)
  const given = { token, password, ...second.given }
  const other = me.value?.operator.email
  return (
    <AuthForm
      title={`Join ${invitation.workspace}`}
      submit="Sign in and join"
      action={second.action}
      below={
        second.isOpen ? (
          <Button look="quiet" onClick={second.back}>
            Back
          </Button>
        ) : (
          <Button look="quiet" onClick={onOther}>
            I have no account yet
          </Button>
        )
      }
      onSubmit={() => void action.run(async () => enter(await join({ account: 'EXISTING', ...given })))}
    >
      <Intro invitation={invitation} />
      {other !== undefined && other.toLowerCase() !== invitation.email.toLowerCase() && (
        <Note>You are signed in as {other}. Joining signs you out of that account.</Note>
      )}
      <input type="hidden" name="email" autocomplete="username" value={invitation.email} />
      {second.isOpen ? (
        <CodeStep factor={second.factor} onChange={second.setFactor} />
      ) : (
        <Field
          label="Password"
          hint="Of the account that you have already."
          type="password"
          name="password"
          autocomplete="current-password"
          required
          value={password}
          onInput={setPassword}
        />
      )}
    </AuthForm>
  )
}

function Over({ text }: { readonly text: string }) {
  useEffect(() => {
    document.title = 'Invitation · Switchboard'
  }, [])
  return (
    <div class="sign-in card">
      <h1>This invitation no longer works</h1>
      <p>{text}</p>
      <LinkButton href={ROOT}>{me.value ? 'Open the console' : 'Sign in'}</LinkButton>
    </div>
  )
}
