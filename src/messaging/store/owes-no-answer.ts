import type { Fragment, Sql } from '../../platform/postgres/sql.ts'

/** An SQL condition: what a conversation receives now is not the first answer to a campaign. */
export const owesNoAnswer = (sql: Sql, conversation: Fragment): Fragment => sql`
  (${conversation}.campaign_recipient_id is null or ${conversation}.campaign_sent_at <= now() - interval '7 days'
    or exists (
      select from recipients r where r.id = ${conversation}.campaign_recipient_id and r.replied_at is not null))`
