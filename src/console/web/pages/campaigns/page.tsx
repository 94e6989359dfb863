import type { PageProps } from '../../core/page-props.ts'
import { CampaignPage } from './campaign.tsx'
import { CampaignList } from './list.tsx'
import { NewCampaign } from './new.tsx'

export function Page({ id }: PageProps) {
  if (id === undefined) return <CampaignList />
  return id === 'new' ? <NewCampaign /> : <CampaignPage key={id} id={id} />
}
