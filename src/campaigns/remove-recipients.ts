// Removes recipients from a campaign that is not running.
import type { CampaignId, WorkspaceId } from '../shared/ids.ts'
import { campaignOperations } from './campaign.machine.ts'
import type { CampaignPorts, RemovalChoice } from './ports.ts'
import { noCampaign, wrongState } from './refusals.ts'

export const removeRecipients = ({ campaigns, recipients }: CampaignPorts) =>
  async function removeRecipients(
    workspaceId: WorkspaceId,
    id: CampaignId,
    choice: RemovalChoice,
  ): Promise<{ removed: number }> {
    const removed = await recipients.remove(workspaceId, id, campaignOperations.removeRecipients, choice)
    if (removed !== undefined) return { removed }
    const campaign = await campaigns.find(workspaceId, id)
    throw campaign ? wrongState('removeRecipients', campaign.status) : noCampaign()
  }
