import type { CampaignRecord } from '../contract/records/campaign.ts'

/** What an audit entry says of a campaign. */
export function campaignShown(campaign: CampaignRecord | undefined) {
  if (!campaign) return undefined
  const { name, status, template, numberId, startAt, messagesPerSecond, counts } = campaign
  return { name, status, template, numberId, startAt, messagesPerSecond, recipients: counts.total }
}
