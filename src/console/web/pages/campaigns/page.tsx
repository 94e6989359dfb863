import { useEffect, useState } from 'preact/hooks'
import { type ApiError, toApiError } from '../../core/api.ts'
import type { PageProps } from '../../core/page-props.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { ErrorState, Skeleton } from '../../parts/states.tsx'
import { CampaignList } from './list.tsx'
import { NewCampaign } from './new.tsx'

export function Page({ id }: PageProps) {
  if (id === undefined) return <CampaignList />
  return id === 'new' ? <NewCampaign /> : <One key={id} id={id} />
}

const loadCampaign = () => import('./campaign.tsx')

/** One campaign has progress, recipients and a dozen dialogs: the list does without them. */
function One({ id }: { readonly id: string }) {
  const [loaded, setLoaded] = useState<Awaited<ReturnType<typeof loadCampaign>>>()
  const [error, setError] = useState<ApiError>()
  const load = () => {
    setError(undefined)
    loadCampaign().then(setLoaded, (failure: unknown) => setError(toApiError(failure)))
  }
  useEffect(load, [])
  if (loaded) return <loaded.CampaignPage id={id} />
  return (
    <>
      <PageHeader title="Campaign" />
      {error ? <ErrorState error={error} onRetry={load} /> : <Skeleton />}
    </>
  )
}
