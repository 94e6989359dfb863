// POST /messages/chat/preview: what a send would show. Stores nothing and does not ask the provider.
import type { Sender } from '../contract/caller.ts'
import type { MessagePreview } from '../contract/records/message.ts'
import { phoneOf, userIdOf } from '../shared/address.ts'
import type { Clock } from '../shared/clock.ts'
import { type ContentInput, contextQuery, noSender, noTemplate, type SendInput } from './check-send.ts'
import { previewFree } from './free-form.ts'
import type { MessageStore, SendContext, SendTemplate, TemplateRendering } from './ports.ts'
import { withUploads } from './template-uploads.ts'

export interface PreviewPorts {
  readonly store: Pick<MessageStore, 'sendContext'>
  readonly templates: Pick<TemplateRendering, 'preview'>
  readonly clock: Pick<Clock, 'now'>
}

export type PreviewInput = ContentInput & Pick<SendInput, 'to' | 'from'>

/**
 * A template that is not approved has a preview too, missing variables are listed instead of refused, and the window
 * may be closed. A number in the request must exist; a request without one needs no sender.
 */
export const createPreviewMessage = (ports: PreviewPorts) =>
  async function previewMessage(
    caller: Pick<Sender, 'workspaceId'>,
    input: PreviewInput,
  ): Promise<MessagePreview> {
    const context = await ports.store.sendContext(contextQuery(caller, input))
    if (input.from && !context.number) throw noSender(input.from)
    return {
      to: phoneOf(input.to) ?? '',
      userId: userIdOf(input.to),
      ...shown(ports, input, context),
      windowExpiresAt: context.windowExpiresAt?.toISOString() ?? null,
    }
  }

function shown({ templates, clock }: PreviewPorts, input: PreviewInput, context: SendContext) {
  if (input.free) return previewFree(input.free, context, clock.now())
  if (!context.template) throw noTemplate(input.template)
  const { name, language, variables } = input.template
  return {
    type: 'TEMPLATE' as const,
    template: { name, language, variables: { ...variables } },
    ...shownTemplate(templates, context.template, withUploads(context.template, variables, context)),
  }
}

function shownTemplate(
  templates: PreviewPorts['templates'],
  template: SendTemplate,
  { variables, faults }: ReturnType<typeof withUploads>,
) {
  const shown = templates.preview(template, variables)
  const told = new Map(faults.map(({ variable, message }) => [variable, message]))
  return {
    ...shown,
    invalidVariables: shown.invalidVariables.map(({ name, message }) => ({
      name,
      message: told.get(name) ?? message,
    })),
  }
}
