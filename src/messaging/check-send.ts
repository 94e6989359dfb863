// Whether a message may be sent, from the data that one statement has read.

import type { Sender } from '../contract/caller.ts'
import { AppError } from '../contract/errors.ts'
import { fileOf } from '../contract/message-content.ts'
import { noTokenToSend } from '../contract/provider-refusal.ts'
import { isUserId } from '../shared/address.ts'
import type { Clock } from '../shared/clock.ts'
import type { NumberId } from '../shared/ids.ts'
import { checkFree } from './free-form.ts'
import type { FreeInput } from './free-form-content.ts'
import type {
  NewMessage,
  OutgoingContent,
  SendContext,
  SendContextQuery,
  TemplateRendering,
} from './ports.ts'
import { isSendable } from './template.machine.ts'
import { uploadIdsIn, type VariableUploadFault, withUploads } from './template-uploads.ts'

export interface TemplateInput {
  readonly name: string
  readonly language: string
  readonly variables: Readonly<Record<string, string>>
}

/** What is to be sent: a template, or a message that is none. */
export type ContentInput =
  | { readonly template: TemplateInput; readonly free?: undefined }
  | { readonly free: FreeInput; readonly template?: undefined }

export type SendInput = ContentInput & {
  /** Digits, or a user id. */
  readonly to: string
  readonly idempotencyKey: string | null
  readonly from: { readonly numberId: NumberId } | { readonly number: string } | null
  readonly metadata: Readonly<Record<string, string>>
}

/** What is read before a send or a preview. */
export function contextQuery(
  { workspaceId }: Pick<Sender, 'workspaceId'>,
  input: ContentInput & Pick<SendInput, 'to' | 'from'> & { readonly idempotencyKey?: string | null },
): SendContextQuery {
  const file = input.free && fileOf(input.free.content)
  return {
    workspaceId,
    address: input.to,
    from: input.from,
    templateName: input.template?.name ?? null,
    templateLanguage: input.template?.language ?? null,
    uploadId: file && 'uploadId' in file ? file.uploadId : null,
    uploadIds: input.template ? uploadIdsIn(input.template.variables) : [],
    referenceId: input.free?.about ?? null,
    idempotencyKey: input.idempotencyKey ?? null,
  }
}

interface CheckPorts {
  readonly templates: TemplateRendering
  readonly clock: Pick<Clock, 'now'>
}

interface Checked {
  readonly content: OutgoingContent
  readonly row: Pick<NewMessage, 'text' | 'template' | 'free'>
}

export function checkSend(context: SendContext, input: SendInput, { templates, clock }: CheckPorts) {
  const { number, account } = context
  if (!number) throw noSender(input.from)
  if (!account) throw noTokenToSend()
  if (input.template) {
    return { number, account, ...checkTemplate(context, input, { template: input.template, templates }) }
  }
  if (context.optedOut) throw optedOut()
  const free = checkFree(input.free, context, clock.now())
  return {
    number,
    account,
    content: { free: free.message },
    row: { text: free.text, template: null, free },
  }
}

function checkTemplate(
  { template: definition, uploads, number, ...contact }: SendContext,
  { to }: Pick<SendInput, 'to'>,
  { template, templates }: { readonly template: TemplateInput; readonly templates: TemplateRendering },
): Checked {
  const name = nameOf(template)
  if (!definition) throw noTemplate(template)
  if (!isSendable(definition.status))
    throw new AppError(
      'TEMPLATE_NOT_APPROVED',
      `${name} is ${definition.status}; only APPROVED ones can be sent`,
    )
  const filled = withUploads(definition, template.variables, { uploads, number })
  if (filled.faults[0]) throw badUploads(filled.faults, filled.faults[0])
  const { variables } = filled
  const { text, faults } = templates.render(definition, variables)
  if (faults.length > 0)
    throw new AppError('TEMPLATE_VARIABLES_MISMATCH', `the variables are not those of ${name}`, {
      details: faults.map(({ variable, message }) => ({
        path: variable === null ? 'template.name' : pathOf(variable),
        message,
      })),
    })
  checkRecipient(contact, definition.category, to)
  const sent = { ...template, variables }
  return { content: { template: sent, definition }, row: { text, template: sent } }
}

const pathOf = (variable: string): string => `template.variables.${variable}`

const badUploads = (all: readonly VariableUploadFault[], first: VariableUploadFault): AppError =>
  new AppError(first.code, `${pathOf(first.variable)} ${first.message}`, {
    details: all.map(({ variable, message }) => ({ path: pathOf(variable), message })),
  })

function checkRecipient(
  {
    optedOut: isOut,
    marketingOptedOut: isOutOfMarketing,
    address,
  }: Pick<SendContext, 'optedOut' | 'marketingOptedOut' | 'address'>,
  category: string,
  to: string,
): void {
  if (isOut) throw optedOut()
  if (category === 'MARKETING' && isOutOfMarketing) throw marketingOptedOut()
  if (category === 'AUTHENTICATION' && isUserId(address ?? to)) throw needsPhone()
}

const nameOf = ({ name, language }: TemplateInput): string => `template ${name} (${language})`

export const noSender = (from: SendInput['from']): AppError =>
  new AppError(
    'NO_SENDER_NUMBER',
    from
      ? 'from names no number of this workspace; GET /numbers lists them'
      : 'the workspace has no default number: set one in the console, or name one in from',
  )

export const noTemplate = (template: TemplateInput): AppError =>
  new AppError(
    'TEMPLATE_NOT_FOUND',
    `there is no ${nameOf(template)} in this workspace; GET /templates lists what there is`,
  )

export const optedOut = () =>
  new AppError('RECIPIENT_OPTED_OUT', 'the contact has opted out with STOP; it can opt in again with START')

const marketingOptedOut = () =>
  new AppError(
    'MARKETING_OPTED_OUT',
    "the contact has stopped marketing messages in the provider's app and can resume them there; other templates can be sent",
  )

/** The provider sends these to numbers only. */
const needsPhone = () =>
  new AppError(
    'RECIPIENT_NEEDS_PHONE',
    'an AUTHENTICATION template goes to a phone number only, and this person is known by a user id; ask for the number first',
  )
