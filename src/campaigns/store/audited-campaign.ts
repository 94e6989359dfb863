// The audit entry of a change that an operator makes: in its transaction, so that there is none without the other.
// Changes of keys have no author and no entry.
import { writeAudit } from '../../accounts/store/audit.store.ts'
import type { Author } from '../../contract/administration.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import type { CampaignId } from '../../shared/ids.ts'
import { campaignShown } from '../campaign-shown.ts'
import { createCampaignReader } from './campaigns-read.store.ts'

interface CampaignEntry {
  readonly author: Author | undefined
  readonly action: `campaign.${string}`
  readonly id: CampaignId
}

/**
 * Call it with the locks of the campaign, so that what was before and after is that of this change alone. Writes no
 * entry where nothing has changed.
 */
export async function audited<T>(sql: Sql, entry: CampaignEntry, change: () => Promise<T>): Promise<T> {
  const { author, action, id } = entry
  if (!author) return change()
  const read = async () => campaignShown(await createCampaignReader(sql).find(author.workspaceId, id))
  const before = await read()
  const result = await change()
  const after = await read()
  if (JSON.stringify(before) !== JSON.stringify(after))
    await writeAudit(sql, author, { action, subjectKind: 'campaign', subjectId: id, before, after })
  return result
}
