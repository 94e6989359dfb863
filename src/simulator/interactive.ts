// The kinds of interactive messages and what the provider accepts in each.
import * as v from 'valibot'
import { header, MediaRef, shortText, url } from './content-parts.ts'

const body = (max: number) => v.looseObject({ text: shortText(max) })
const footer = v.optional(v.looseObject({ text: shortText(60) }))
const textHeader = v.looseObject({ type: v.literal('text'), text: shortText(60) })
const absent = v.optional(v.undefined_('is not supported for this type'))
const named = <const Name extends string>(name: Name) => v.looseObject({ name: v.literal(name) })

const unique = <T>(keyOf: (one: T) => string, message: string) =>
  v.check((list: T[]) => new Set(list.map(keyOf)).size === list.length, message)

const listOf = <const S extends v.GenericSchema>(
  one: S,
  what: string,
  [min, max]: readonly [number, number],
) => {
  const message = `Invalid ${what} count. Min allowed ${what}: ${min}, Max allowed ${what}: ${max}`
  return v.pipe(v.array(one), v.minLength(min, message), v.maxLength(max, message))
}

const ReplyButton = v.looseObject({
  type: v.literal('reply'),
  reply: v.looseObject({ id: shortText(256), title: shortText(20) }),
})

const replyButtons = (max: number) =>
  v.pipe(
    listOf(ReplyButton, 'buttons', [1, max]),
    unique(({ reply }: v.InferOutput<typeof ReplyButton>) => reply.id, 'Button ids must be unique'),
    unique(({ reply }: v.InferOutput<typeof ReplyButton>) => reply.title, 'Button titles must be unique'),
  )

const Button = v.looseObject({
  type: v.literal('button'),
  header: v.optional(header),
  body: body(1024),
  footer,
  action: v.looseObject({ buttons: replyButtons(3) }),
})

const Row = v.looseObject({
  id: shortText(200),
  title: shortText(24),
  description: v.optional(v.pipe(v.string(), v.maxLength(72))),
})

const ListSections = v.pipe(
  listOf(
    v.looseObject({
      title: v.optional(v.pipe(v.string(), v.maxLength(24))),
      rows: v.pipe(v.array(Row), v.minLength(1)),
    }),
    'sections',
    [1, 10],
  ),
  v.check(
    (sections) => sections.length === 1 || sections.every(({ title }) => (title ?? '') !== ''),
    'Section title is required if there is more than one section',
  ),
  v.check(
    (sections) => sections.flatMap(({ rows }) => rows).length <= 10,
    'Total row count exceeds max allowed count: 10',
  ),
  v.check((sections) => {
    const ids = sections.flatMap(({ rows }) => rows.map(({ id }) => id))
    return new Set(ids).size === ids.length
  }, 'Row ids must be unique'),
)

const List = v.looseObject({
  type: v.literal('list'),
  header: v.optional(textHeader),
  body: body(4096),
  footer,
  action: v.looseObject({ button: shortText(20), sections: ListSections }),
})

const LinkAction = v.looseObject({
  name: v.literal('cta_url'),
  parameters: v.looseObject({ display_text: shortText(20), url }),
})

const Link = v.looseObject({
  type: v.literal('cta_url'),
  header: v.optional(header),
  body: body(1024),
  footer,
  action: LinkAction,
})

const FlowParameters = v.pipe(
  v.looseObject({
    flow_message_version: v.literal('3'),
    flow_id: v.optional(v.string()),
    flow_name: v.optional(v.string()),
    flow_cta: shortText(30),
    flow_token: v.optional(v.string()),
    mode: v.optional(v.picklist(['draft', 'published'])),
    flow_action: v.optional(v.picklist(['navigate', 'data_exchange'])),
    flow_action_payload: v.optional(
      v.looseObject({ screen: shortText(256), data: v.optional(v.record(v.string(), v.unknown())) }),
    ),
  }),
  v.check(
    ({ flow_id: id, flow_name: name }) => (id === undefined) !== (name === undefined),
    'exactly one of flow_id and flow_name is required',
  ),
)

const Flow = v.looseObject({
  type: v.literal('flow'),
  header: v.optional(header),
  body: body(1024),
  footer,
  action: v.looseObject({ name: v.literal('flow'), parameters: FlowParameters }),
})

const Product = v.looseObject({
  type: v.literal('product'),
  header: absent,
  body: v.optional(body(1024)),
  footer,
  action: v.looseObject({ catalog_id: shortText(100), product_retailer_id: shortText(100) }),
})

const ProductList = v.looseObject({
  type: v.literal('product_list'),
  header: textHeader,
  body: body(1024),
  footer,
  action: v.looseObject({
    catalog_id: shortText(100),
    sections: v.pipe(
      listOf(
        v.looseObject({
          title: v.optional(v.pipe(v.string(), v.maxLength(24))),
          product_items: v.pipe(
            v.array(v.looseObject({ product_retailer_id: shortText(100) })),
            v.minLength(1),
          ),
        }),
        'sections',
        [1, 10],
      ),
      v.check(
        (sections) => sections.flatMap((section) => section.product_items).length <= 30,
        'Total product count exceeds max allowed count: 30',
      ),
    ),
  }),
})

const CarouselCard = v.looseObject({
  card_index: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(9)),
  type: v.optional(v.string()),
  header: v.optional(v.looseObject({ type: v.picklist(['image', 'video']), image: v.optional(MediaRef) })),
  body: v.optional(body(160)),
  action: v.union([
    LinkAction,
    v.looseObject({ buttons: replyButtons(3) }),
    v.looseObject({ catalog_id: shortText(100), product_retailer_id: shortText(100) }),
  ]),
})

const kindOfCard = ({ action }: v.InferOutput<typeof CarouselCard>): string => {
  if ('buttons' in action && Array.isArray(action.buttons)) return `buttons ${action.buttons.length}`
  return 'name' in action ? 'link' : `products of ${String(Reflect.get(action, 'catalog_id'))}`
}

const Carousel = v.looseObject({
  type: v.literal('carousel'),
  header: absent,
  body: body(1024),
  footer: absent,
  action: v.looseObject({
    cards: v.pipe(
      listOf(CarouselCard, 'cards', [2, 10]),
      v.check((cards) => new Set(cards.map(kindOfCard)).size === 1, 'All cards must have the same buttons'),
    ),
  }),
})

const VoiceCall = v.looseObject({
  type: v.literal('voice_call'),
  body: body(1024),
  action: v.looseObject({
    name: v.literal('voice_call'),
    parameters: v.optional(
      v.looseObject({
        display_text: v.optional(shortText(20)),
        ttl_minutes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(43_200))),
        payload: v.optional(v.pipe(v.string(), v.maxLength(512))),
      }),
    ),
  }),
})

/** The kinds that are a text with a fixed action. */
const plain = <const Type extends string, const Name extends string>(type: Type, name: Name) =>
  v.looseObject({
    type: v.literal(type),
    header: absent,
    body: body(1024),
    footer: absent,
    action: named(name),
  })

export const Interactive = v.variant('type', [
  Button,
  List,
  Link,
  Flow,
  Product,
  ProductList,
  Carousel,
  VoiceCall,
  plain('location_request_message', 'send_location'),
  plain('request_contact_info', 'request_contact_info'),
  v.looseObject({
    type: v.literal('address_message'),
    body: body(1024),
    action: v.looseObject({
      name: v.literal('address_message'),
      parameters: v.looseObject({ country: shortText(2) }),
    }),
  }),
  v.looseObject({
    type: v.literal('catalog_message'),
    body: body(1024),
    footer,
    action: named('catalog_message'),
  }),
  v.looseObject({
    type: v.literal('call_permission_request'),
    header: absent,
    body: v.optional(body(1024)),
    footer: absent,
    action: named('call_permission_request'),
  }),
])
