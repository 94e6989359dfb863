import { useState } from 'preact/hooks'
import type { CampaignRecord } from '../../../../contract/records/campaign.ts'
import type { NumberRecord, TemplateRecord } from '../../../../contract/records/catalog.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { useAction } from '../../core/load.ts'
import { hrefOf, navigate } from '../../core/router.ts'
import { can } from '../../core/session.ts'
import { useUnsaved } from '../../core/use-unsaved.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { isReadable } from '../../parts/field.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { EmptyState, ErrorState, Problem, Skeleton } from '../../parts/states.tsx'
import { useChoices } from './choices.ts'
import { bodyOf, type Draft, emptyDraft, given, templateKey } from './plan.ts'
import { PlanFields } from './plan-fields.tsx'
import { TemplatePreview } from './preview.tsx'

export function NewCampaign() {
  const { templates, numbers, error, retry } = useChoices()
  return (
    <>
      <PageHeader
        title="New campaign"
        intro="One template to many customers. First what is sent; recipients come next, and nothing is sent before you start it."
        back={{ href: hrefOf('campaigns'), title: 'Campaigns' }}
      />
      {error && <ErrorState error={error} onRetry={retry} />}
      {!templates && !error && <Skeleton />}
      {templates?.length === 0 && (
        <EmptyState
          icon="templates"
          title="No approved template"
          action={<LinkButton href={hrefOf('templates')}>Templates</LinkButton>}
        >
          A campaign sends a template that the provider has approved. Submit one first.
        </EmptyState>
      )}
      {templates && templates.length > 0 && can('ADMIN') && (
        <NewForm templates={templates} numbers={numbers ?? []} />
      )}
    </>
  )
}

function NewForm({
  templates,
  numbers,
}: {
  readonly templates: readonly TemplateRecord[]
  readonly numbers: readonly NumberRecord[]
}) {
  const [draft, setDraft] = useState<Draft>(emptyDraft)
  const unsaved = useUnsaved()
  const action = useAction()
  const submit = () =>
    action.run(async () => {
      const { id } = await api.post<CampaignRecord>(inWorkspace('/campaigns'), bodyOf(draft))
      navigate(hrefOf('campaigns', id), { replace: true })
    })
  return (
    <div class="with-preview">
      <form
        {...unsaved.watch}
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (isReadable(event.currentTarget)) void submit()
        }}
      >
        <PlanFields
          draft={draft}
          templates={templates}
          numbers={numbers}
          error={action.error}
          onChange={setDraft}
        />
        <Problem error={action.error} />
        <div class="row">
          <Button type="submit" look="primary" isBusy={action.isBusy}>
            Create draft
          </Button>
          <LinkButton href={hrefOf('campaigns')}>Cancel</LinkButton>
        </div>
      </form>
      <TemplatePreview
        template={templates.find((one) => templateKey(one) === draft.template)}
        variables={given(draft.variables)}
      />
    </div>
  )
}
