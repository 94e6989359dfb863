import { unixSeconds } from './ids.ts'
import { deliverFromHandset } from './inbound.ts'
import type { BusinessNumber, Handset } from './model.ts'
import { ProviderError } from './provider-error.ts'
import type { Permission } from './views.ts'
import { permissionOf, timeOf, type World } from './world.ts'

const DAY_MS = 24 * 3600 * 1000
const WEEK_MS = 7 * DAY_MS
const REQUESTS_PER_DAY = 1
const REQUESTS_PER_WEEK = 2

const within = (times: readonly number[], spanMs: number, nowMs: number): number[] =>
  times.filter((time) => time > nowMs - spanMs)

/** Counts a permission request. Throws when the permission is permanent or a limit is reached. */
export function requestPermission(handset: Handset, phoneNumberId: string, nowMs: number): void {
  const permission = permissionOf(handset, phoneNumberId, nowMs)
  if (permission.status === 'permanent') throw new ProviderError(138017)
  const day = within(permission.requestedAt, DAY_MS, nowMs).length
  const week = within(permission.requestedAt, WEEK_MS, nowMs)
  if (day >= REQUESTS_PER_DAY || week.length >= REQUESTS_PER_WEEK) throw new ProviderError(138009)
  permission.requestedAt = [...week, nowMs]
}

export const callsToday = (permission: Permission, nowMs: number): number =>
  within(permission.connectedAt, DAY_MS, nowMs).length

export type PermissionReply = Readonly<{
  response: 'accept' | 'reject'
  isPermanent: boolean
  source: 'user_action' | 'automatic'
  /** The wamid of the permission request, or the wacid of the user's call. */
  contextId?: string | undefined
}>

function decide(permission: Permission, reply: PermissionReply, nowMs: number): void {
  delete permission.expiresAt
  permission.status = 'no_permission'
  if (reply.response === 'reject') return
  permission.status = reply.isPermanent ? 'permanent' : 'temporary'
  if (!reply.isPermanent) permission.expiresAt = nowMs + WEEK_MS
}

/** Stores the user's decision and reports it with a message. Returns the wamid of that message. */
export function replyToPermission(
  world: World,
  number: BusinessNumber,
  handset: Handset,
  reply: PermissionReply,
): string {
  const nowMs = timeOf(world)
  const permission = permissionOf(handset, number.id, nowMs)
  decide(permission, reply, nowMs)
  const { expiresAt } = permission
  return deliverFromHandset(world, number, handset, {
    type: 'interactive',
    content: {
      type: 'call_permission_reply',
      call_permission_reply: {
        response: reply.response,
        ...(reply.response === 'accept' ? { is_permanent: reply.isPermanent } : {}),
        ...(expiresAt === undefined ? {} : { expiration_timestamp: unixSeconds(expiresAt) }),
        response_source: reply.source,
      },
    },
    text: `call permission: ${reply.response}`,
    replyTo: reply.contextId,
  })
}

type Limit = Readonly<{ period: string; spanMs: number; max: number; times: readonly number[] }>

function limit({ period, spanMs, max, times }: Limit, nowMs: number) {
  const used = within(times, spanMs, nowMs)
  const oldest = used[0]
  const reached = used.length >= max && oldest !== undefined
  return {
    time_period: period,
    max_allowed: max,
    current_usage: used.length,
    ...(reached ? { limit_expiration_time: Number(unixSeconds(oldest + spanMs)) } : {}),
  }
}

/** The answer to `GET /<number>/call_permissions`. */
export function permissionView(world: World, number: BusinessNumber, handset: Handset): unknown {
  const nowMs = timeOf(world)
  const permission = permissionOf(handset, number.id, nowMs)
  const requests = [
    limit({ period: 'PT24H', spanMs: DAY_MS, max: REQUESTS_PER_DAY, times: permission.requestedAt }, nowMs),
    limit({ period: 'P7D', spanMs: WEEK_MS, max: REQUESTS_PER_WEEK, times: permission.requestedAt }, nowMs),
  ]
  const max = world.config.callsPerDay
  const calls = [limit({ period: 'PT24H', spanMs: DAY_MS, max, times: permission.connectedAt }, nowMs)]
  const free = (limits: readonly { limit_expiration_time?: number }[]) =>
    limits.every((one) => one.limit_expiration_time === undefined)
  const expiry = permission.expiresAt
  return {
    messaging_product: 'whatsapp',
    permission: {
      status: permission.status,
      ...(expiry === undefined ? {} : { expiration_time: Number(unixSeconds(expiry)) }),
    },
    actions: [
      {
        action_name: 'send_call_permission_request',
        can_perform_action: permission.status !== 'permanent' && free(requests),
        limits: requests,
      },
      {
        action_name: 'start_call',
        can_perform_action: permission.status !== 'no_permission' && free(calls),
        limits: calls,
      },
    ],
  }
}
