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

interface AccountFilter {
  readonly workspaceId?: WorkspaceId | null
  readonly wabaId?: string | null
}

export const createCatalogSyncStore = (sql: Sql, options: AccountOptions) => ({
  /** The accounts whose catalog can be read: active workspaces with a business account and a token. */
  async accounts({ workspaceId = null, wabaId = null }: AccountFilter = {}) {
    const rows = await sql<CatalogRow[]>`
      select id as workspace_id, waba_id, provider_token
      from workspaces
      where waba_id is not null
        and status = 'ACTIVE'
        and (${workspaceId}::uuid is null or id = ${workspaceId}::uuid)
        and (${wabaId}::text is null or waba_id = ${wabaId}::text)
      order by id`
    return rows.flatMap((row) => toAccount({ ...row, phoneNumberId: '' }, options) ?? [])
  },

  /**
   * A number that has a new id at the provider keeps its row. What came for it before becomes due. The first number of a workspace that is connected, else
   * the first, becomes its default.
   * Returns the provider's ids of those that belong to another workspace, which are left alone.
   */
  async upsertNumbers(workspaceId: WorkspaceId, numbers: readonly ProviderNumber[]): Promise<string[]> {
    const rows = numbers.map((number) => ({ id: newId('number'), ...number }))
    const synced = sql`jsonb_to_recordset(${sql.json(rows as never)}) as synced (id uuid, "phoneNumberId" text,
      number text, "displayName" text, status text, "qualityRating" text, "messagesPerSecond" integer)`
    const isKnown = sql`exists (select from numbers where phone_number_id = synced."phoneNumberId")`
    // A webhook that has not found the number yet keeps its elements within this time.
    const due = sql`now() + interval '20 seconds'`
    const given = sql`("phoneNumberId", "displayName", synced.status, "qualityRating", "messagesPerSecond")`
    await sql`
      update numbers n
      set (phone_number_id, display_name, status, quality_rating, messages_per_second) = ${given},
        elements_due_at = case when n.phone_number_id <> "phoneNumberId" then ${due} else n.elements_due_at end,
        updated_at = now()
      from ${synced}
      where n.workspace_id = ${workspaceId}
        and (n.phone_number_id = "phoneNumberId" or n.number = synced.number and not ${isKnown})
        and (n.phone_number_id, n.display_name, n.status, n.quality_rating, n.messages_per_second)
          is distinct from ${given}`
    await sql`
      insert into numbers (id, workspace_id, phone_number_id, number, display_name, status, quality_rating,
        messages_per_second, elements_due_at, is_default)
      select id, ${workspaceId}, "phoneNumberId", number, "displayName", status, "qualityRating", "messagesPerSecond", ${due},
        row_number() over (order by synced.status = 'CONNECTED' desc, id) = 1
          and not exists (select from numbers where workspace_id = ${workspaceId} and is_default)
      from ${synced}
      where not ${isKnown} and not exists (select from numbers where number = synced.number)
      on conflict do nothing`
    const elsewhere = await sql<{ phoneNumberId: string }[]>`
      select "phoneNumberId" as phone_number_id
      from ${synced}
      where not exists (
        select from numbers where workspace_id = ${workspaceId} and phone_number_id = "phoneNumberId")`
    return elsewhere.map(({ phoneNumberId }) => phoneNumberId)
  },

  /**
   * True if the template is now as the update says, also where a sync has seen that before. False for a template that
   * is not known, and for an update from before what is known.
   */
  async applyTemplateChange(update: TemplateStatusUpdate | TemplateCategoryUpdate): Promise<boolean> {
    const status = update.type === 'templateStatus' ? update.status : null
    const reason = update.type === 'templateStatus' ? update.reason : null
    const category = update.type === 'templateCategory' ? update.category : null
    const at = update.type === 'templateStatus' ? sql`status_at` : sql`category_at`
    // Webhooks have times in whole seconds. A list that was asked for within that second may be older.
    const endOfSecond = new Date(update.at.getTime() + 999)
    const isNamed = sql`
      w.id = t.workspace_id
        and w.waba_id = ${update.wabaId}
        and t.name = ${update.name}
        and t.language = ${update.language}`
    const rows = await sql`
      with changed as (
        update templates t
        set status = coalesce(${status}, t.status),
          status_reason = case when ${status}::text is null then t.status_reason else ${reason} end,
          category = coalesce(${category}, t.category),
          ${at} = ${endOfSecond},
          updated_at = now()
        from workspaces w
        where ${isNamed}
          -- A webhook that is posted again, or late, must not undo what the provider decided after it.
          and coalesce(date_trunc('second', t.${at}), '-infinity') <= ${update.at}
          -- Nor what a list has found since. Only a template that is deleted is on no list.
          and (${status === 'DELETED'} or coalesce(date_trunc('second', w.templates_listed_at), '-infinity') <= ${update.at})
          and (${status}::text is null or ${permits(sql, templateMachine, { from: sql`t.status`, to: sql`${status}::text` })})
        returning t.id
      )
      select from changed
      union all
      select from templates t, workspaces w
      where ${isNamed} and t.status = coalesce(${status}, t.status) and t.category = coalesce(${category}, t.category)`
    return rows.count > 0
  },
})
