import type { PageProps } from '../../core/page-props.ts'
import { Later } from '../../parts/later.tsx'
import { CampaignList } from './list.tsx'

const loadForm = () => import('./new.tsx').then(({ NewCampaign }) => NewCampaign)
/** One campaign has progress, recipients and a dozen dialogs: the list does without them. */
const loadCampaign = () => import('./campaign.tsx').then(({ CampaignPage }) => CampaignPage)

export function Page({ id }: PageProps) {
  if (id === undefined) return <CampaignList />
  if (id === 'new') return <Later load={loadForm} given={{}} />
  return <Later key={id} load={loadCampaign} given={{ id }} />
}
