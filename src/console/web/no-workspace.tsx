import { ROOT } from './core/router.ts'
import { me, signOut } from './core/session.ts'
import { Button, LinkButton } from './parts/button.tsx'
import { Alone } from './parts/console-bar.tsx'
import { EmptyState } from './parts/states.tsx'

export const NoWorkspace = ({ isUnknown = false }: { readonly isUnknown?: boolean }) => (
  <Alone>
    <EmptyState
      icon="members"
      title={isUnknown ? 'There is no such workspace for you' : 'You belong to no workspace yet'}
      action={
        isUnknown ? (
          <LinkButton href={ROOT}>Go to your workspace</LinkButton>
        ) : (
          <Button onClick={() => void signOut()}>Sign out</Button>
        )
      }
    >
      {isUnknown
        ? 'The link may be old, or you may not be a member.'
        : `Ask an owner to invite ${me.value?.operator.email ?? 'you'} under Members, then load this page again.`}
    </EmptyState>
  </Alone>
)
