import type { PageProps } from '../../core/page-props.ts'
import { Later } from '../../parts/later.tsx'
import { CampaignPage } from './campaign.tsx'
import { CampaignList } from './list.tsx'

const loadForm = () => import('./new.tsx').then(({ NewCampaign }) => NewCampaign)

export function Page({ id }: PageProps) {
  if (id === undefined) return <CampaignList />
  return id === 'new' ? <Later load={loadForm} given={{}} /> : <CampaignPage key={id} id={id} />
}
