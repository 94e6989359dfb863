import type { Author } from '../contract/administration.ts'
import type { CreatedTemplate, Provider, ProviderAccount, TemplateDefinition } from '../contract/provider.ts'
import type { TemplateRecord } from '../contract/records/catalog.ts'
import type { WorkspaceId } from '../shared/ids.ts'
import type { Submission, TemplateSubmissions } from './reads.ts'

export interface SubmissionPorts {
  readonly provider: Pick<Provider, 'createTemplate'>
  /** Undefined where the workspace is not connected to the provider. */
  readonly account: (workspaceId: WorkspaceId) => Promise<ProviderAccount | undefined>
  readonly store: {
    exists(workspaceId: WorkspaceId, name: string, language: string): Promise<boolean>
    keep(author: Author, definition: TemplateDefinition, created: CreatedTemplate): Promise<TemplateRecord>
  }
}

/** The provider is asked first: a template that it does not know must not look submitted. */
export const createTemplateSubmissions = (ports: SubmissionPorts): TemplateSubmissions => ({
  async submit(author, draft): Promise<Submission> {
    if (await ports.store.exists(author.workspaceId, draft.name, draft.language)) return { type: 'exists' }
    const account = await ports.account(author.workspaceId)
    if (account === undefined)
      return { type: 'refused', code: 'NOT_CONNECTED', title: 'The workspace has no account at the provider' }
    const result = await ports.provider.createTemplate(account, draft)
    if (result.type === 'ok')
      return { type: 'submitted', template: await ports.store.keep(author, draft, result.value) }
    const { code, title, details } = result.error
    if (result.type === 'refused')
      return { type: 'refused', code, title: details === null ? title : `${title}: ${details}` }
    return { type: 'unavailable', message: title }
  },
})
