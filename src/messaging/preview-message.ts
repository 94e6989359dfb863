// POST /messages/chat/preview: what a send would show. Stores nothing and does not ask the provider.
import type { Sender } from '../contract/caller.ts'
import type { MessagePreview } from '../contract/records/message.ts'
import { phoneOf, userIdOf } from '../shared/address.ts'
import type { MessageStore, TemplateRendering } from './ports.ts'
import { noSender, noTemplate, type SendInput } from './send-message.ts'

export interface PreviewPorts {
  readonly store: Pick<MessageStore, 'sendContext'>
  readonly templates: Pick<TemplateRendering, 'preview'>
}

export type PreviewInput = Pick<SendInput, 'to' | 'template' | 'from'>

/**
 * A template that is not approved has a preview too, and missing variables are listed instead of refused. A
 * number in the request must exist; a request without one needs no sender.
 */
export const createPreviewMessage = ({ store, templates }: PreviewPorts) =>
  async function previewMessage(
    caller: Pick<Sender, 'workspaceId'>,
    input: PreviewInput,
  ): Promise<MessagePreview> {
    const { number, template } = await store.sendContext({
      workspaceId: caller.workspaceId,
      address: input.to,
      from: input.from,
      templateName: input.template.name,
      templateLanguage: input.template.language,
      idempotencyKey: null,
    })
    if (input.from && !number) throw noSender(input.from)
    if (!template) throw noTemplate(input.template)
    const { name, language, variables } = input.template
    return {
      to: phoneOf(input.to) ?? '',
      userId: userIdOf(input.to),
      template: { name, language, variables: { ...variables } },
      ...templates.preview(template, variables),
    }
  }
