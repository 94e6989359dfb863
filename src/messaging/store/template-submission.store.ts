// Stores a template that the provider has accepted, with its audit row.

import { writeAudit } from '../../accounts/store/audit.store.ts'
import type { Author } from '../../contract/administration.ts'
import type { CreatedTemplate, TemplateDefinition } from '../../contract/provider.ts'
import type { TemplateRecord } from '../../contract/records/catalog.ts'
import type { Pool } from '../../platform/postgres/sql.ts'
import { newId, type WorkspaceId } from '../../shared/ids.ts'
import { type StoredTemplate, toTemplateRecord } from './templates.store.ts'

export const createTemplateSubmissionStore = (pool: Pool) => ({
  async exists(workspaceId: WorkspaceId, name: string, language: string): Promise<boolean> {
    const rows = await pool`
      select from templates
      where workspace_id = ${workspaceId} and name = ${name} and language = ${language}`
    return rows.count > 0
  },

  /** A sync may have stored the template first: then its row stays and keeps its id. */
  keep(author: Author, definition: TemplateDefinition, created: CreatedTemplate): Promise<TemplateRecord> {
    const { name, language, parameterFormat } = definition
    return pool.begin(async (sql) => {
      const [row] = await sql<StoredTemplate[]>`
        insert into templates (id, workspace_id, provider_template_id, name, language, category, status,
          parameter_format, components)
        values (${newId('template')}, ${author.workspaceId}, ${created.providerTemplateId}, ${name}, ${language},
          ${created.category}, ${created.status}, ${parameterFormat}, ${sql.json(definition.components as never)})
        on conflict (workspace_id, name, language) do update
        set provider_template_id = excluded.provider_template_id, updated_at = now()
        returning id, provider_template_id, name, language, category, status, parameter_format, components,
          created_at, updated_at`
      if (row === undefined) throw new Error('a written template was not returned')
      await writeAudit(sql, author, {
        action: 'template.submitted',
        subjectKind: 'template',
        subjectId: row.id,
        after: { name, language, category: created.category, status: created.status },
      })
      return toTemplateRecord(row)
    })
  },
})
