// Submits new templates to the provider and stores the accepted ones.
import type { Author } from '../contract/administration.ts'
import { AppError } from '../contract/errors.ts'
import type { CreatedTemplate, Provider, ProviderAccount, TemplateDefinition } from '../contract/provider.ts'
import { notConnected, providerError } from '../contract/provider-refusal.ts'
import type { TemplateRecord } from '../contract/records/catalog.ts'
import type { WorkspaceId } from '../shared/ids.ts'

export interface TemplateSubmissions {
  /**
   * Submits the template to the provider and stores its answer, with an audit row. Throws INVALID_STATE where there is one
   * of this name and language, and PROVIDER_ERROR where the provider refuses it or gives no usable answer.
   */
  submit(author: Author, draft: TemplateDefinition): Promise<TemplateRecord>
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
  async submit(author, draft): Promise<TemplateRecord> {
    const { name, language } = draft
    if (await ports.store.exists(author.workspaceId, name, language))
      throw new AppError('INVALID_STATE', `there is a template ${name} in ${language} already`)
    const account = await ports.account(author.workspaceId)
    if (account === undefined) throw notConnected()
    const result = await ports.provider.createTemplate(account, draft)
    if (result.type === 'ok') return ports.store.keep(author, draft, result.value)
    const what = result.type === 'refused' ? 'refused the template' : 'gave no usable answer'
    throw providerError(`the provider ${what}`, result.error)
  },
})
