// Message templates as the provider last described them.

import type { TemplateFilter } from '../../contract/filters.ts'
import { type Page, type PageRequest, toPage } from '../../contract/page.ts'
import type { ProviderTemplate, TemplateList } from '../../contract/provider.ts'
import type {
  ParameterFormat,
  TemplateCategory,
  TemplateRecord,
  TemplateStatus,
} from '../../contract/records/catalog.ts'
import { equals, olderThan } from '../../platform/postgres/keyset.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { permits } from '../../platform/postgres/states.ts'
import { encodeId, newId, type TemplateId, type WorkspaceId } from '../../shared/ids.ts'
import { templateMachine } from '../template.machine.ts'
import { optionalVariables, templateVariables, unsupportedParts } from '../template-variables.ts'

export interface StoredTemplate {
  readonly id: TemplateId
  readonly providerTemplateId: string | null
  readonly name: string
  readonly language: string
  readonly category: TemplateCategory
  readonly status: TemplateStatus
  readonly parameterFormat: ParameterFormat
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
  /**
   * Writes the provider's templates as they were when they were asked for, at `asOf` (default now). Ids stay the same
   * over syncs. A list older than the last one is left out. What is not among `named` is deleted at the provider, if
   * nothing was told of it for ten minutes: a list may be behind a template that was just made. Nothing is where
   * `named` is left out or empty: an account without any template is rare, and such an answer more likely a mistake.
   */
  upsert(
    workspaceId: WorkspaceId,
    templates: readonly ProviderTemplate[],
    as?: { readonly asOf?: Date; readonly named?: TemplateList['named'] },
  ): Promise<void>
}

const settledMs = 600_000

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

  async upsert(workspaceId, templates, { asOf = new Date(), named = null } = {}) {
    const rows = templates.map((template) => ({ id: newId('template'), ...template }))
    // To read the list takes seconds: a webhook may have told something newer meanwhile.
    const later = (at: 'status_at' | 'category_at', column: 'status' | 'status_reason' | 'category') =>
      sql`case when t.${sql(at)} > excluded.${sql(at)} then t.${sql(column)} else excluded.${sql(column)} end`
    const status = later('status_at', 'status')
    const [reason, category] = [later('status_at', 'status_reason'), later('category_at', 'category')]
    const isChanged = sql`
      (t.provider_template_id, t.category, t.status, t.status_reason, t.parameter_format, t.components)
        is distinct from (excluded.provider_template_id, ${category}, ${status}, ${reason},
          excluded.parameter_format, excluded.components)`
    const longBefore = new Date(asOf.getTime() - settledMs)
    // An unchanged row is not written, so that a sync every few minutes does not show it as changed. That the list
    // confirms it, the workspace says; its lock makes two lists take turns, and the older one writes nothing.
    await sql`
      with listed as (
        update workspaces
        set templates_listed_at = ${asOf}
        where id = ${workspaceId} and coalesce(templates_listed_at, '-infinity') <= ${asOf}
        returning id
      ), gone as (
        update templates t
        set status = 'DELETED', status_reason = null, status_at = ${asOf}, updated_at = now()
        from listed
        where t.workspace_id = listed.id and ${(named ?? []).length > 0} and t.updated_at <= ${longBefore}
          and ${permits(sql, templateMachine, { from: sql`t.status`, to: sql`'DELETED'` })}
          and not exists (
            select from jsonb_to_recordset(${sql.json((named ?? []) as never)}) as named (name text, language text)
            where named.name = t.name and named.language = t.language
          )
      )
      insert into templates as t (id, workspace_id, provider_template_id, name, language, category, status,
        status_reason, parameter_format, components, status_at, category_at)
      select synced.id, listed.id, "providerTemplateId", name, language, category, status, "rejectedReason",
        "parameterFormat", components, ${asOf}::timestamptz, ${asOf}::timestamptz
      from jsonb_to_recordset(${sql.json(rows as never)}) as synced (id uuid, "providerTemplateId" text, name text,
        language text, category text, status text, "rejectedReason" text, "parameterFormat" text, components jsonb),
        listed
      on conflict (workspace_id, name, language) do update
      set provider_template_id = excluded.provider_template_id,
        category = ${category},
        status = ${status},
        status_reason = ${reason},
        parameter_format = excluded.parameter_format,
        components = excluded.components,
        status_at = greatest(t.status_at, excluded.status_at),
        category_at = greatest(t.category_at, excluded.category_at),
        updated_at = now()
      where ${isChanged}
        and ${permits(sql, templateMachine, { from: sql`t.status`, to: status })}`
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
  optionalVariables: optionalVariables(row),
  unsupported: unsupportedParts(row),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})
