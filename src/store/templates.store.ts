// Message templates as the provider last described them.
import { type Page, type PageRequest, toPage } from '../contract/page.ts'
import type { ProviderTemplate } from '../contract/provider.ts'
import type { TemplateCategory, TemplateRecord, TemplateStatus } from '../contract/records/catalog.ts'
import { encodeId, newId, type TemplateId, type WorkspaceId } from '../shared/ids.ts'
import { templateVariables } from '../templates/variables.ts'
import { equals, olderThan } from './keyset.ts'
import type { Sql } from './sql.ts'

export interface TemplateFilter {
  readonly name?: string | undefined
  readonly nameContains?: string | undefined
  readonly language?: string | undefined
  readonly status?: TemplateStatus | undefined
  readonly category?: TemplateCategory | undefined
}

export interface StoredTemplate {
  readonly id: TemplateId
  readonly providerTemplateId: string | null
  readonly name: string
  readonly language: string
  readonly category: TemplateCategory
  readonly status: TemplateStatus
  readonly parameterFormat: 'NAMED' | 'POSITIONAL'
  readonly components: readonly unknown[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface TemplateStore {
  list(workspaceId: WorkspaceId, filter: TemplateFilter, page: PageRequest): Promise<Page<TemplateRecord>>
  find(workspaceId: WorkspaceId, name: string, language: string): Promise<StoredTemplate | undefined>
  findById(
    workspaceId: WorkspaceId,
    id: TemplateId,
  ): Promise<{ readonly record: TemplateRecord; readonly statusReason: string | null } | undefined>
  /** Writes what the provider has; templates it does not mention stay as they are. Keeps ids over syncs. */
  upsert(workspaceId: WorkspaceId, templates: readonly ProviderTemplate[]): Promise<void>
}

const columns = (sql: Sql) => sql`
  t.id, t.provider_template_id, t.name, t.language, t.category, t.status, t.parameter_format, t.components,
  t.created_at, t.updated_at`

export const createTemplateStore = (sql: Sql): TemplateStore => ({
  async list(workspaceId, filter, page) {
    const rows = await sql<StoredTemplate[]>`
      select ${columns(sql)}
      from templates t
      where t.workspace_id = ${workspaceId}
        ${equals(sql, 't.name', filter.name)}
        ${filter.nameContains === undefined ? sql`` : sql`and strpos(t.name, ${filter.nameContains}) > 0`}
        ${equals(sql, 't.language', filter.language)}
        ${equals(sql, 't.status', filter.status)}
        ${equals(sql, 't.category', filter.category)}
        ${olderThan(sql, 't', page)}
      order by t.id desc
      limit ${page.limit + 1}`
    return toPage(rows, page.limit, (row) => [row.id], toTemplateRecord)
  },

  async find(workspaceId, name, language) {
    const [row] = await sql<StoredTemplate[]>`
      select ${columns(sql)}
      from templates t
      where t.workspace_id = ${workspaceId}
        and t.name = ${name}
        and t.language = ${language}`
    return row
  },

  async findById(workspaceId, id) {
    const [row] = await sql<(StoredTemplate & { readonly statusReason: string | null })[]>`
      select ${columns(sql)}, t.status_reason
      from templates t
      where t.workspace_id = ${workspaceId}
        and t.id = ${id}`
    return row && { record: toTemplateRecord(row), statusReason: row.statusReason }
  },

  async upsert(workspaceId, templates) {
    const rows = templates.map((template) => ({ id: newId('template'), ...template }))
    // A row that did not change keeps its updated_at, so that a sync every few minutes shows no news.
    await sql`
      insert into templates as t (id, workspace_id, provider_template_id, name, language, category, status,
        status_reason, parameter_format, components)
      select id, ${workspaceId}, "providerTemplateId", name, language, category, status, "rejectedReason",
        "parameterFormat", components
      from jsonb_to_recordset(${sql.json(rows as never)}) as synced (id uuid, "providerTemplateId" text, name text,
        language text, category text, status text, "rejectedReason" text, "parameterFormat" text, components jsonb)
      on conflict (workspace_id, name, language) do update
      set provider_template_id = excluded.provider_template_id,
        category = excluded.category,
        status = excluded.status,
        status_reason = excluded.status_reason,
        parameter_format = excluded.parameter_format,
        components = excluded.components,
        updated_at = now()
      where (t.provider_template_id, t.category, t.status, t.status_reason, t.parameter_format, t.components)
        is distinct from (excluded.provider_template_id, excluded.category, excluded.status,
          excluded.status_reason, excluded.parameter_format, excluded.components)`
  },
})

export const toTemplateRecord = (row: StoredTemplate): TemplateRecord => ({
  id: encodeId('template', row.id),
  name: row.name,
  language: row.language,
  category: row.category,
  status: row.status,
  components: row.components,
  variables: templateVariables(row),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})
