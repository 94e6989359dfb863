import { me } from '../../core/session.ts'
import { Tag } from '../../parts/badge.tsx'
import { Facts, Section } from '../../parts/facts.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { Activity } from './activity.tsx'
import { Password } from './password.tsx'
import { SecondFactorSection } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'

export function Page() {
  const operator = me.value?.operator
  if (!operator) return null
  return (
    <>
      <PageHeader title="My account" intro="How you sign in, and where you are signed in." />
      <Section title="Operator">
        <Facts
          facts={[
            ['Name', operator.name],
            [
              'E-mail',
              <span key="email" class="inline">
                {operator.email}
                {operator.platformOwner && <Tag>Platform owner</Tag>}
                {!operator.verified && <Tag>Not verified</Tag>}
              </span>,
            ],
            ['Password', <Password key="password" />],
          ]}
        />
      </Section>
      <SecondFactorSection operator={operator} />
      <Sessions />
      <Activity isOfAll={false} />
      {operator.platformOwner && <Activity isOfAll={true} />}
    </>
  )
}
