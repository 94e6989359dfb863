// Messages to users, read marks and call permissions.
import * as v from 'valibot'
import type { CallPermissionState, Provider } from '../../contract/provider.ts'
import type { Ask } from './ask.ts'
import { freeMessage } from './message-content.ts'

type MessageOperations = Pick<
  Provider,
  'sendTemplate' | 'sendMessage' | 'markRead' | 'requestCallPermission' | 'callPermission'
>

const HELD = ['held_for_quality_assessment', 'paused']

const Sent = v.pipe(
  v.object({
    messages: v.looseTuple([
      v.object({ id: v.pipe(v.string(), v.nonEmpty()), message_status: v.fallback(v.string(), '') }),
    ]),
  }),
  v.transform(({ messages: [message] }) => ({
    providerMessageId: message.id,
    held: HELD.includes(message.message_status),
  })),
)

export const Done = v.pipe(
  v.object({ success: v.literal(true) }),
  v.transform(() => null),
)

const toUser = (to: string) => ({ messaging_product: 'whatsapp', recipient_type: 'individual', to })

const sends = (ask: Ask): Pick<MessageOperations, 'sendTemplate' | 'sendMessage'> => ({
  sendTemplate: (account, { to, template, opaque, isWanted }) =>
    ask(account, {
      operation: 'message.template',
      pool: 'messages',
      method: 'POST',
      path: [account.phoneNumberId, 'messages'],
      body: {
        ...toUser(to),
        type: 'template',
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
      body: { ...toUser(to), ...freeMessage({ content, about }), biz_opaque_callback_data: opaque },
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

  callPermission: (account, waId) =>
    ask(account, {
      operation: 'call.permission',
      pool: 'calls',
      method: 'GET',
      path: [account.phoneNumberId, 'call_permissions'],
      query: { user_wa_id: waId },
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
