// The buttons of templates: which variables each kind takes, and what the provider is sent for them. Pure.
import type { VariableKind } from '../contract/records/catalog.ts'
import type { Button } from './template-components.ts'
import { type LookUp, type Place, placeholders, type Slot } from './template-names.ts'
import { jsonObject, productSections } from './template-values.ts'

interface Position {
  /** Counts all buttons of the template or card. */
  readonly index: number
  /** The variable that holds the button's own value; further ones have this name and a dot before theirs. */
  readonly name: string
  readonly isInCard: boolean
  /** The variable of the body that holds a one-time password too; null where the body has none. */
  readonly code: string | null
}

interface Filling {
  readonly subType: string
  readonly slots: readonly Slot[]
  /** Null: the button goes without a component. */
  parameters(lookUp: LookUp): unknown[] | null
}

/** Undefined for a button that takes nothing, and for one of a kind that is not known. */
export function buttonPlace(button: Button, position: Position): Place | undefined {
  const filling = fillings[button.type]?.(button, position)
  if (!filling) return undefined
  return {
    slots: filling.slots,
    components(lookUp) {
      const parameters = filling.parameters(lookUp)
      const index = String(position.index)
      return parameters === null ? [] : [{ type: 'button', sub_type: filling.subType, index, parameters }]
    },
  }
}

/** Kinds that are the same in every message. */
const fixed = ['PHONE_NUMBER', 'SPM', 'REQUEST_CONTACT_INFO', 'APP']

/** Whether everything that a send has to say about such a button is known here. */
export const isKnownButton = ({ type }: Button): boolean =>
  Object.hasOwn(fillings, type) || fixed.includes(type)

const slot = (
  name: string,
  kind: VariableKind,
  { example = null, required = true }: { example?: string | null; required?: boolean } = {},
): Slot => ({ name, example, in: 'BUTTON', kind, required })

/** The provider's example is the whole address, and the variable only its end. */
function suffixOf(example: string | null, url: string): string | null {
  const start = url.slice(0, url.indexOf('{{'))
  return example?.startsWith(start) && example !== start ? example.slice(start.length) : example
}

const fillings: Readonly<Record<string, (button: Button, position: Position) => Filling | undefined>> = {
  URL: ({ url, example }, { name }) =>
    url === null || placeholders(url).length === 0
      ? undefined
      : {
          subType: 'url',
          slots: [slot(name, 'URL_SUFFIX', { example: suffixOf(example, url) })],
          parameters: (lookUp) => [{ type: 'text', text: lookUp(name) }],
        },

  // The provider takes the label of a button as its payload where it is given none; in a card it wants one.
  QUICK_REPLY: ({ text }, { name, isInCard }) => ({
    subType: 'quick_reply',
    slots: [slot(name, 'PAYLOAD', { required: false })],
    parameters(lookUp) {
      const payload = lookUp(name) ?? (isInCard ? text : undefined)
      return payload === undefined ? null : [{ type: 'payload', payload }]
    },
  }),

  COPY_CODE: ({ example }, { name }) => ({
    subType: 'copy_code',
    slots: [slot(name, 'CODE', { example })],
    parameters: (lookUp) => [{ type: 'coupon_code', coupon_code: lookUp(name) }],
  }),

  // Copy-code, one-tap and zero-tap: the provider wants the code in the body once more.
  OTP: ({ example }, { name, code }) => ({
    subType: 'url',
    slots: [slot(name, 'CODE', { example, required: code === null })],
    parameters: (lookUp) => [
      { type: 'text', text: lookUp(name) ?? (code === null ? undefined : lookUp(code)) },
    ],
  }),

  // The provider refuses a message that does not name its flow button; `unused` is its own word for no token.
  FLOW: (_, { name }) => ({
    subType: 'flow',
    slots: [slot(name, 'FLOW_TOKEN', { required: false }), slot(`${name}.data`, 'JSON', { required: false })],
    parameters(lookUp) {
      const data = lookUp(`${name}.data`)
      const action = {
        flow_token: lookUp(name) ?? 'unused',
        ...(data !== undefined && { flow_action_data: jsonObject(data) }),
      }
      return [{ type: 'action', action }]
    },
  }),

  // The provider describes the thumbnail as optional and refuses messages without one.
  CATALOG: (_, { name }) => ({
    subType: 'CATALOG',
    slots: [slot(name, 'PRODUCT_ID')],
    parameters: (lookUp) => [{ type: 'action', action: { thumbnail_product_retailer_id: lookUp(name) } }],
  }),

  MPM: (_, { name }) => ({
    subType: 'mpm',
    slots: [
      slot(name, 'PRODUCT_ID', { required: false }),
      slot(`${name}.sections`, 'PRODUCT_SECTIONS', {
        example: '[{"title":"New","products":["sku-1","sku-2"]}]',
      }),
    ],
    parameters(lookUp) {
      const sections = productSections(lookUp(`${name}.sections`) ?? '')
      const first = sections?.[0]?.product_items[0]?.product_retailer_id
      return [{ type: 'action', action: { thumbnail_product_retailer_id: lookUp(name) ?? first, sections } }]
    },
  }),

  VOICE_CALL: (_, { name }) => ({
    subType: 'voice_call',
    slots: [
      slot(name, 'PAYLOAD', { required: false }),
      slot(`${name}.ttlMinutes`, 'MINUTES', { required: false }),
    ],
    parameters(lookUp) {
      const payload = lookUp(name)
      const minutes = lookUp(`${name}.ttlMinutes`)
      const parameters = [
        ...(minutes === undefined ? [] : [{ type: 'ttl_minutes', ttl_minutes: Number(minutes) }]),
        ...(payload === undefined ? [] : [{ type: 'payload', payload }]),
      ]
      return parameters.length === 0 ? null : parameters
    },
  }),
}
