// Messages to users, read marks and call permissions.

import * as v from 'valibot'
import type { CallPermissionState, Provider } from '../../contract/provider.ts'
import { isUserId } from '../../shared/address.ts'
import { toE164 } from '../../shared/phone.ts'
import type { Ask } from './ask.ts'
import { freeMessage } from './message-content.ts'

type MessageOperations = Pick<
  Provider,
  'sendTemplate' | 'sendMessage' | 'markRead' | 'requestCallPermission' | 'callPermission'
>

const digits = v.pipe(v.string(), v.regex(/^\d{5,20}$/))

const HELD = ['held_for_quality_assessment', 'paused']

const Sent = v.pipe(
  v.object({
    contacts: v.fallback(v.array(v.object({ wa_id: v.fallback(v.optional(digits), undefined) })), []),
    messages: v.looseTuple([
      v.object({ id: v.pipe(v.string(), v.nonEmpty()), message_status: v.fallback(v.string(), '') }),
    ]),
  }),
  v.transform(({ contacts: [contact], messages: [message] }) => ({
    providerMessageId: message.id,
    held: HELD.includes(message.message_status),
    recipientPhone: contact?.wa_id ?? null,
  })),
)

export const Done = v.pipe(
  v.object({ success: v.literal(true) }),
  v.transform(() => null),
)

/**
 * A user id as `recipient`: given as `to`, the provider takes its digits for a number, answers 200 and loses the
 * message. A number with its plus: without it, the provider may put the country of the business in front.
 */
export const toPerson = (address: string) =>
  isUserId(address) ? { recipient: address } : { to: toE164(address) }

const toUser = (address: string) => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  ...toPerson(address),
})

const sends = (ask: Ask): Pick<MessageOperations, 'sendTemplate' | 'sendMessage'> => ({
  sendTemplate: (account, { to, template, opaque, isWanted }) =>
    ask(account, {
      operation: 'message.template',
      pool: 'messages',
      method: 'POST',
      path: [account.phoneNumberId, 'messages'],
      // A name first, also below: in Node 20 a literal that begins with a spread costs microseconds.
      body: {
        type: 'template',
        ...toUser(to),
        template: {
          name: template.name,
          language: { code: template.language },
          ...(template.components.length > 0 && { components: template.components }),
        },
        biz_opaque_callback_data: opaque,
      },
      schema: Sent,
      isWanted,
    }),

  sendMessage: (account, { to, content, about, opaque, isWanted }) =>
    ask(account, {
      operation: 'message.free',
      pool: 'messages',
      method: 'POST',
      path: [account.phoneNumberId, 'messages'],
      body: { biz_opaque_callback_data: opaque, ...toUser(to), ...freeMessage({ content, about }) },
      schema: Sent,
      isWanted,
    }),
})

const aroundSends = (ask: Ask): Omit<MessageOperations, 'sendTemplate' | 'sendMessage'> => ({
  markRead: (account, providerMessageId, { typing = false } = {}) =>
    ask(account, {
      operation: 'message.read',
      pool: 'messages',
      method: 'POST',
      path: [account.phoneNumberId, 'messages'],
      body: {
        messaging_product: 'whatsapp',
        status: 'read',
        message_id: providerMessageId,
        ...(typing && { typing_indicator: { type: 'text' } }),
      },
      schema: Done,
    }),

  requestCallPermission: (account, { to, text, opaque }) =>
    ask(account, {
      operation: 'call.requestPermission',
      pool: 'messages',
      method: 'POST',
      path: [account.phoneNumberId, 'messages'],
      body: {
        ...toUser(to),
        type: 'interactive',
        interactive: {
          type: 'call_permission_request',
          action: { name: 'call_permission_request' },
          ...(text !== undefined && { body: { text } }),
        },
        biz_opaque_callback_data: opaque,
      },
      schema: Sent,
    }),

  callPermission: (account, address) =>
    ask(account, {
      operation: 'call.permission',
      pool: 'calls',
      method: 'GET',
      path: [account.phoneNumberId, 'call_permissions'],
      query: isUserId(address) ? { recipient: address } : { user_wa_id: address },
      schema: Permission,
    }),
})

export const messageOperations = (ask: Ask): MessageOperations => ({ ...sends(ask), ...aroundSends(ask) })

const Permission = v.pipe(
  v.object({
    permission: v.object({
      status: v.string(),
      expiration_time: v.fallback(
        v.nullish(v.pipe(v.union([v.number(), v.string()]), v.transform(Number), v.finite()), null),
        null,
      ),
    }),
    actions: v.fallback(v.array(v.object({ action_name: v.string(), can_perform_action: v.boolean() })), []),
  }),
  v.transform(({ permission, actions }): CallPermissionState => {
    const status = permissionStatus(permission.status, permission.expiration_time !== null)
    const may = (action: string) => actions.find((one) => one.action_name === action)?.can_perform_action
    return {
      status,
      expiresAt: permission.expiration_time === null ? null : new Date(permission.expiration_time * 1000),
      mayCall: may('start_call') ?? status !== 'NONE',
      mayRequest: may('send_call_permission_request') ?? status === 'NONE',
    }
  }),
)

// The provider's documentation uses `temporary` and `permanent`, but its OpenAPI file uses `granted`.
function permissionStatus(word: string, isExpiring: boolean): CallPermissionState['status'] {
  switch (word.toLowerCase()) {
    case 'permanent':
      return 'PERMANENT'
    case 'temporary':
      return 'TEMPORARY'
    case 'granted':
      return isExpiring ? 'TEMPORARY' : 'PERMANENT'
    default:
      return 'NONE'
  }
}
