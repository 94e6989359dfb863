import type { PageProps } from '../../core/page-props.ts'
import { later } from '../../parts/later.tsx'
import { CampaignList } from './list.tsx'

const NewCampaign = later(() => import('./new.tsx').then((module) => module.NewCampaign), { isPage: true })
/** One campaign has progress, recipients and a dozen dialogs: the list does without them. */
const CampaignPage = later(() => import('./campaign.tsx').then((module) => module.CampaignPage), {
  isPage: true,
})

export function Page({ id }: PageProps) {
  if (id === undefined) return <CampaignList />
  return id === 'new' ? <NewCampaign /> : <CampaignPage key={id} id={id} />
}
