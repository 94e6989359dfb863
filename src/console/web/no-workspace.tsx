import type { PageProps } from './core/page-props.ts'
import { ROOT } from './core/router.ts'
import { me, signOut } from './core/session.ts'
import { Button, LinkButton } from './parts/button.tsx'
import { EmptyState } from './parts/states.tsx'

/** With an id: the workspace that the address names. */
export const Page = ({ id }: PageProps) => (
  <EmptyState
    icon="members"
    title={id !== undefined ? 'There is no such workspace for you' : 'You belong to no workspace yet'}
    action={
      id !== undefined ? (
        <LinkButton href={ROOT}>Go to your workspace</LinkButton>
      ) : (
        <Button onClick={() => void signOut()}>Sign out</Button>
      )
    }
  >
    {id !== undefined
      ? 'The link may be old, or you may not be a member.'
      : `Ask an owner to invite ${me.value?.operator.email ?? 'you'} under Members, then load this page again.`}
  </EmptyState>
)
