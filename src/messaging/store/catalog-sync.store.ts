// Writes what the provider reports of its catalog: the list of numbers, and changes of single templates.

import { type AccountOptions, toAccount } from '../../accounts/store/provider-account.ts'
import type { ProviderNumber } from '../../contract/provider.ts'
import type { TemplateCategoryUpdate, TemplateStatusUpdate } from '../../contract/provider-updates.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { permits } from '../../platform/postgres/states.ts'
import { newId, type WorkspaceId } from '../../shared/ids.ts'
import { templateMachine } from '../template.machine.ts'

export type CatalogSyncStore = ReturnType<typeof createCatalogSyncStore>

interface CatalogRow {
  workspaceId: WorkspaceId
  wabaId: string
  providerToken: Buffer | null
}

export const createCatalogSyncStore = (sql: Sql, options: AccountOptions) => ({
  /** The accounts whose catalog can be read: active workspaces with a business account and a token. */
  async accounts(workspaceId?: WorkspaceId) {
    const rows = await sql<CatalogRow[]>`
      select id as workspace_id, waba_id, provider_token
      from workspaces
      where waba_id is not null
        and status = 'ACTIVE'
        and (${workspaceId ?? null}::uuid is null or id = ${workspaceId ?? null}::uuid)`
    return rows.flatMap((row) => toAccount({ ...row, phoneNumberId: '' }, options) ?? [])
  },

  /** A number of another workspace is left alone. The first number of a workspace becomes its default. */
  async upsertNumbers(workspaceId: WorkspaceId, numbers: readonly ProviderNumber[]): Promise<void> {
    const rows = numbers.map((number) => ({ id: newId('number'), ...number }))
    await sql`
      insert into numbers as n (id, workspace_id, phone_number_id, number, display_name, status, quality_rating,
        messages_per_second, is_default)
      select id, ${workspaceId}, "phoneNumberId", number, "displayName", status, "qualityRating", "messagesPerSecond",
        row_number() over (order by id) = 1
          and not exists (select from numbers where workspace_id = ${workspaceId} and is_default)
      from jsonb_to_recordset(${sql.json(rows as never)}) as synced (id uuid, "phoneNumberId" text, number text,
        "displayName" text, status text, "qualityRating" text, "messagesPerSecond" integer)
      on conflict (phone_number_id) do update
      set display_name = excluded.display_name,
        status = excluded.status,
        quality_rating = excluded.quality_rating,
        messages_per_second = excluded.messages_per_second,
        updated_at = now()
      where n.workspace_id = excluded.workspace_id
        and (n.display_name, n.status, n.quality_rating, n.messages_per_second)
          is distinct from (excluded.display_name, excluded.status, excluded.quality_rating, excluded.messages_per_second)`
  },

  async applyTemplateChange(update: TemplateStatusUpdate | TemplateCategoryUpdate): Promise<boolean> {
    const status = update.type === 'templateStatus' ? update.status : null
    const reason = update.type === 'templateStatus' ? update.reason : null
    const category = update.type === 'templateCategory' ? update.category : null
    // A webhook that is posted again, or late, must not undo what the provider decided after it.
    const at = update.type === 'templateStatus' ? sql`status_at` : sql`category_at`
    const rows = await sql`
      update templates t
      set status = coalesce(${status}, t.status),
        status_reason = case when ${status}::text is null then t.status_reason else ${reason} end,
        category = coalesce(${category}, t.category),
        ${at} = ${update.at},
        updated_at = now()
      from workspaces w
      where w.id = t.workspace_id
        and w.waba_id = ${update.wabaId}
        and t.name = ${update.name}
        and t.language = ${update.language}
        and coalesce(t.${at}, '-infinity') <= ${update.at}
        and (${status}::text is null or ${permits(sql, templateMachine, { from: sql`t.status`, to: sql`${status}::text` })})`
    return rows.count > 0
  },
})
