// All that a workspace shows to a member who lacks the second factor that it requires.
import { ROOT } from '../../core/router.ts'
import { me, signOut, workspace } from '../../core/session.ts'
import { sayError } from '../../core/toasts.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { SecondFactorSection } from '../account/second-factor.tsx'

export function Page() {
  const operator = me.value?.operator
  const others = me.value?.workspaces.filter(({ barrier }) => barrier === null) ?? []
  if (!operator) return null
  return (
    <div class="card">
      <PageHeader
        title={`${workspace.value?.name} requires a second factor`}
        intro="Turn yours on with an authenticator app, then go on here."
      />
      <SecondFactorSection operator={operator} />
      <div class="section-actions">
        {others.map(({ id, name }) => (
          <LinkButton key={id} href={`${ROOT}/${id}/overview`}>
            {`Go to ${name}`}
          </LinkButton>
        ))}
        <Button look="quiet" onClick={() => void signOut().catch(sayError)}>
          Sign out
        </Button>
      </div>
    </div>
  )
}
