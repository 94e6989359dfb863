// POST /messages/chat/preview: what a send would show. Stores nothing, asks nobody but the database.
import type { Sender } from '../contract/caller.ts'
import type { MessagePreview } from '../contract/records/message.ts'
import { toDigits } from '../shared/phone.ts'
import type { MessageStore, TemplateRendering } from './ports.ts'
import { noSender, noTemplate, type SendInput } from './send-message.ts'

export interface PreviewPorts {
  readonly store: Pick<MessageStore, 'sendContext'>
  readonly templates: Pick<TemplateRendering, 'preview'>
}

export type PreviewInput = Pick<SendInput, 'to' | 'template' | 'from'>

/**
 * A template that is not approved has a preview too, and missing variables are listed instead of refused. A number
 * that the request names must exist; without one nothing of the sender is needed.
 */
export const createPreviewMessage = ({ store, templates }: PreviewPorts) =>
  async function previewMessage(
    caller: Pick<Sender, 'workspaceId'>,
    input: PreviewInput,
  ): Promise<MessagePreview> {
    const waId = toDigits(input.to)
    const { number, template } = await store.sendContext({
      workspaceId: caller.workspaceId,
      waId,
      from: input.from,
      templateName: input.template.name,
      templateLanguage: input.template.language,
      idempotencyKey: null,
    })
    if (input.from && !number) throw noSender(input.from)
    if (!template) throw noTemplate(input.template)
    const { name, language, variables } = input.template
    return {
      to: waId,
      template: { name, language, variables: { ...variables } },
      ...templates.preview(template, variables),
    }
  }
