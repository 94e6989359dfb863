// Submits new templates to the provider and stores the accepted ones.
import type { Author } from '../contract/administration.ts'
import type { CreatedTemplate, Provider, ProviderAccount, TemplateDefinition } from '../contract/provider.ts'
import type { TemplateRecord } from '../contract/records/catalog.ts'
import type { WorkspaceId } from '../shared/ids.ts'

export type Submission =
  | { readonly type: 'submitted'; readonly template: TemplateRecord }
  /** A template with this name and language exists. */
  | { readonly type: 'exists' }
  | { readonly type: 'refused'; readonly code: string; readonly title: string }
  /** The provider gave no usable answer. */
  | { readonly type: 'unavailable'; readonly message: string }

export interface TemplateSubmissions {
  /** Submits the template to the provider and stores its answer, with an audit row. */
  submit(author: Author, draft: TemplateDefinition): Promise<Submission>
}

export interface SubmissionPorts {
  readonly provider: Pick<Provider, 'createTemplate'>
  /** Undefined where the workspace is not connected to the provider. */
  readonly account: (workspaceId: WorkspaceId) => Promise<ProviderAccount | undefined>
  readonly store: {
    exists(workspaceId: WorkspaceId, name: string, language: string): Promise<boolean>
    keep(author: Author, definition: TemplateDefinition, created: CreatedTemplate): Promise<TemplateRecord>
  }
}

/** Asks the provider first: a template that the provider does not know must not look submitted. */
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
