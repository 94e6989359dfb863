// The places of a template that a send fills: for each, its variables and the component that they become. Both stand
// side by side, so that no component can lack what its variables hold. Pure.
import { buttonPlace } from './template-buttons.ts'
import type { CardParts, Header, TemplateParts, TextPart } from './template-components.ts'
import {
  buttonVariable,
  cardPrefix,
  headerNames,
  headerVariable,
  isPosition,
  offerVariable,
  type Place,
  placeholders,
  type Slot,
} from './template-names.ts'
import { isUpload } from './template-values.ts'

/** All places, those of the cards included. `cards`: how many a carousel of products has, see `cardCount`. */
export function placesOf(parts: TemplateParts, cards = parts.cards.length): Place[] {
  return [
    ...(parts.header ? [headerPlace(parts.header, '')] : []),
    ...(parts.body ? [bodyPlace(parts.body, '')] : []),
    ...(parts.offer?.hasExpiration ? [offerPlace] : []),
    ...buttonPlaces(parts, ''),
    ...(parts.cards.length > 0 ? [carouselPlace(parts.cards, cards)] : []),
  ]
}

const mostCards = 10

/**
 * How many cards a send has. A carousel of products may have more cards than its template: as many as the
 * variables name, without a gap. All other carousels have those of their template.
 */
export function cardCount({ cards }: TemplateParts, variables: Iterable<string>): number {
  if (cards[0]?.header?.format !== 'PRODUCT') return cards.length
  const named = new Set<number>()
  for (const name of variables) {
    const index = /^card\.(\d)\./.exec(name)?.[1]
    if (index !== undefined) named.add(Number(index))
  }
  let count = cards.length
  while (count < mostCards && named.has(count)) count += 1
  return count
}

/** The card at this position; further ones of a carousel of products are like the first. */
export const cardAt = (cards: readonly CardParts[], index: number): CardParts =>
  cards[index] ?? cards[0] ?? { header: null, body: null, buttons: [] }

function carouselPlace(cards: readonly CardParts[], count: number): Place {
  const places = Array.from({ length: count }, (_, index) => {
    const card = cardAt(cards, index)
    const prefix = cardPrefix(index)
    return [
      ...(card.header ? [headerPlace(card.header, prefix)] : []),
      ...(card.body ? [bodyPlace(card.body, prefix)] : []),
      ...buttonPlaces(card, prefix),
    ]
  })
  return {
    slots: places.flat().flatMap(({ slots }) => slots),
    components: (lookUp) => [
      {
        type: 'carousel',
        cards: places.map((card, index) => ({
          card_index: index,
          components: card.flatMap((place) => place.components(lookUp)),
        })),
      },
    ],
  }
}

function buttonPlaces(card: CardParts, prefix: string): Place[] {
  const code = card.body ? placeholders(card.body.text)[0] : undefined
  return card.buttons.flatMap((button, index) => {
    const place = buttonPlace(button, {
      index,
      name: `${prefix}${buttonVariable(index)}`,
      isInCard: prefix !== '',
      code: code === undefined ? null : `${prefix}${code}`,
    })
    return place ? [place] : []
  })
}

const offerPlace: Place = {
  slots: [{ name: offerVariable, example: null, in: 'OFFER', kind: 'TIMESTAMP', required: true }],
  components: (lookUp) => [
    {
      type: 'limited_time_offer',
      parameters: [
        {
          type: 'limited_time_offer',
          limited_time_offer: { expiration_time_ms: Date.parse(lookUp(offerVariable) ?? '') },
        },
      ],
    },
  ],
}

function bodyPlace(body: TextPart, prefix: string): Place {
  return textPlace(body, { type: 'body', nameOf: (name) => `${prefix}${name}` })
}

function textPlace(
  part: TextPart,
  { type, nameOf }: { readonly type: 'header' | 'body'; readonly nameOf: (name: string) => string },
): Place {
  const names = placeholders(part.text)
  return {
    slots: names.map((name) => ({
      name: nameOf(name),
      example: part.example.get(name) ?? null,
      in: type === 'header' ? 'HEADER' : 'BODY',
      kind: 'TEXT',
      required: true,
    })),
    components: (lookUp) =>
      names.length === 0
        ? []
        : [
            {
              type,
              // A name of digits is a position: the provider takes those parameters in order and without a name.
              parameters: names.map((name) => ({
                type: 'text',
                ...(isPosition(name) ? {} : { parameter_name: name }),
                text: lookUp(nameOf(name)) ?? '',
              })),
            },
          ],
  }
}

function headerPlace(header: Header, prefix: string): Place {
  if (header.format === 'TEXT')
    return textPlace(header, { type: 'header', nameOf: (name) => `${prefix}${headerVariable(name)}` })
  const of = (name: keyof typeof headerNames, kind: Slot['kind'], more: Partial<Slot> = {}): Slot => ({
    ...{ name: `${prefix}${headerNames[name]}`, example: null, in: 'HEADER', kind, required: true },
    ...more,
  })
  const kind = header.format.toLowerCase()
  const place = (
    slots: readonly Slot[],
    content: (value: (name: keyof typeof headerNames) => string | undefined) => object,
  ): Place => ({
    slots,
    components: (lookUp) => {
      const filled = content((name) => lookUp(`${prefix}${headerNames[name]}`))
      return [{ type: 'header', parameters: [{ type: kind, [kind]: filled }] }]
    },
  })
  if (header.format === 'LOCATION')
    return place(
      [of('latitude', 'LATITUDE'), of('longitude', 'LONGITUDE'), of('name', 'TEXT'), of('address', 'TEXT')],
      (value) => ({
        latitude: value('latitude'),
        longitude: value('longitude'),
        name: value('name'),
        address: value('address'),
      }),
    )
  if (header.format === 'PRODUCT')
    return place([of('productId', 'PRODUCT_ID'), of('catalogId', 'CATALOG_ID')], (value) => ({
      product_retailer_id: value('productId'),
      catalog_id: value('catalogId'),
    }))
  return place(
    [
      of('media', 'MEDIA', { example: header.example }),
      ...(header.format === 'DOCUMENT' ? [of('fileName', 'FILE_NAME', { required: false })] : []),
    ],
    (value) => mediaOf(value('media') ?? '', value('fileName')),
  )
}

const mediaOf = (source: string, fileName: string | undefined): object => ({
  ...(isUpload(source) ? { id: source } : { link: source }),
  ...(fileName !== undefined && { filename: fileName }),
})
