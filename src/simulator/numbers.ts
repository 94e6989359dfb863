import * as v from 'valibot'
import { unixSeconds } from './ids.ts'
import type { BusinessNumber } from './model.ts'
import { accountUpdate } from './webhook-payloads.ts'
import { pageOf, readWire, selectFields } from './wire.ts'
import type { World } from './world.ts'

const FIELDS = [
  'display_phone_number',
  'verified_name',
  'quality_rating',
  'code_verification_status',
  'platform_type',
  'throughput',
]

export const numberView = (world: World, number: BusinessNumber, query: URLSearchParams): unknown =>
  selectFields(
    {
      id: number.id,
      display_phone_number: formatted(number.digits),
      verified_name: number.verifiedName,
      quality_rating: 'GREEN',
      status: 'CONNECTED',
      code_verification_status: 'VERIFIED',
      name_status: 'APPROVED',
      platform_type: 'CLOUD_API',
      throughput: { level: number.throughput },
      account_mode: 'LIVE',
      is_official_business_account: false,
      whatsapp_business_manager_messaging_limit: world.account.messagingLimit,
    },
    query.get('fields'),
    FIELDS,
  )

/** The number as the provider displays it: with a plus, and with spaces or hyphens. */
const formatted = (digits: string): string =>
  /^1\d{10}$/.test(digits)
    ? digits.replace(/^1(\d{3})(\d{3})(\d{4})$/, '+1 $1-$2-$3')
    : digits.replace(/^(\d{3})(\d+)(\d{3})$/, '+$1 $2 $3')

export const listNumbers = (world: World, query: URLSearchParams, self: string): unknown =>
  pageOf([...world.numbers.values()], query, self, (number) => numberView(world, number, query))

const flag = v.pipe(v.string(), v.toUpperCase(), v.picklist(['ENABLED', 'DISABLED']))

const time = v.pipe(v.string(), v.regex(/^([01]\d|2[0-3])[0-5]\d$/, 'must be HHMM'))

const CallHours = v.looseObject({
  status: flag,
  timezone_id: v.string(),
  weekly_operating_hours: v.pipe(
    v.array(
      v.pipe(
        v.looseObject({ day_of_week: v.string(), open_time: time, close_time: time }),
        v.check(({ open_time, close_time }) => open_time < close_time, 'must open before it closes'),
      ),
    ),
    v.minLength(1),
    v.maxLength(14),
  ),
  holiday_schedule: v.optional(v.pipe(v.array(v.looseObject({ date: v.string() })), v.maxLength(20))),
})

const SettingsBody = v.strictObject({
  calling: v.looseObject({
    status: v.optional(flag),
    call_icon_visibility: v.optional(v.pipe(v.string(), v.toUpperCase())),
    callback_permission_status: v.optional(flag),
    call_hours: v.optional(CallHours),
    sip: v.optional(v.looseObject({ status: flag })),
    srtp_key_exchange_protocol: v.optional(v.pipe(v.string(), v.toUpperCase())),
  }),
})

export const settingsView = (number: BusinessNumber): unknown => ({ calling: number.calling })

/** Replaces each given field as a whole, and reports the change with a webhook, as the provider does. */
export function changeSettings(world: World, number: BusinessNumber, body: unknown): unknown {
  const { calling } = readWire(SettingsBody, body)
  number.calling = { ...number.calling, ...calling }
  const update = accountUpdate('account_settings_update', number.id, {
    type: 'phone_number_settings',
    timestamp: unixSeconds(Date.now()),
    phone_number_settings: { phone_number_id: number.id, calling: number.calling },
  })
  void world.webhooks.send(update)
  return { success: true }
}
