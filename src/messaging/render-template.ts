// Renders a template with its variables: as the customer sees it, and as the provider's components. Pure.
import {
  type Button,
  type CardParts,
  type Header,
  readParts,
  type TemplateText,
} from './template-components.ts'
import {
  buttonVariable,
  fillIn,
  headerNames,
  headerVariable,
  type LookUp,
  offerVariable,
} from './template-names.ts'
import { cardAt, cardCount, placesOf } from './template-places.ts'
import {
  compareVariables,
  ofCard,
  reader,
  type VariableComparison,
  type Variables,
  variableFaults,
} from './template-variables.ts'

export interface RenderedButton {
  readonly type: string
  readonly text: string
  readonly url?: string
  readonly phoneNumber?: string
}

export interface RenderedCard {
  readonly headerFormat: Header['format'] | null
  readonly header: string | null
  readonly body: string
  readonly buttons: readonly RenderedButton[]
}

export interface RenderedTemplate extends RenderedCard, VariableComparison {
  /** The text of the header, the link or id of its media, the name and address of its place, or its product. */
  readonly header: string | null
  readonly footer: string | null
  readonly offer: { readonly text: string; readonly expiresAt: string | null } | null
  readonly cards: readonly RenderedCard[]
  /** Header, body and footer as one text, as the message record shows it. */
  readonly text: string
}

export function renderTemplate(template: TemplateText, variables: Variables): RenderedTemplate {
  const parts = readParts(template.components)
  const { footer, offer } = parts
  const lookUp = reader(variables)
  const card = renderCard(parts, lookUp)
  const headerText = card.headerFormat === 'TEXT' ? card.header : null
  const count = cardCount(parts, Object.keys(variables))
  return {
    ...card,
    footer,
    buttons: [...card.buttons, ...(parts.asksForCallPermission ? [callPermission] : [])],
    offer: offer && { text: offer.text, expiresAt: lookUp(offerVariable) ?? null },
    cards: Array.from({ length: count }, (_, index) =>
      renderCard(cardAt(parts.cards, index), ofCard(lookUp, index)),
    ),
    text: [headerText, card.body, footer].filter((part) => part !== null && part !== '').join('\n'),
    ...compareVariables(template, variables),
  }
}

/** How phones show the question of a call permission request. */
const callPermission: RenderedButton = { type: 'CALL_PERMISSION_REQUEST', text: 'Choose preference' }

function renderCard({ header, body, buttons }: CardParts, lookUp: LookUp): RenderedCard {
  return {
    headerFormat: header?.format ?? null,
    header: header && renderHeader(header, lookUp),
    body: body ? fillIn(body.text, lookUp) : '',
    buttons: buttons.map((button, index) => renderButton(button, lookUp(buttonVariable(index)))),
  }
}

function renderHeader(header: Header, lookUp: LookUp): string | null {
  if (header.format === 'TEXT') return fillIn(header.text, (name) => lookUp(headerVariable(name)))
  if (header.format === 'PRODUCT') return lookUp(headerNames.productId) ?? null
  if (header.format !== 'LOCATION') return lookUp(headerNames.media) ?? null
  const place = [lookUp(headerNames.name), lookUp(headerNames.address)].filter((part) => part !== undefined)
  return place.length > 0 ? place.join(', ') : null
}

/** Labels that the provider writes itself, in the language of the recipient. */
const labels: Readonly<Record<string, string>> = {
  OTP: 'Copy code',
  COPY_CODE: 'Copy offer code',
  CATALOG: 'View catalog',
  MPM: 'View items',
  SPM: 'View',
  VOICE_CALL: 'Call',
  REQUEST_CONTACT_INFO: 'Share contact info',
}

const renderButton = (button: Button, value: string | undefined): RenderedButton => ({
  type: button.type,
  text: button.text || (labels[button.type] ?? ''),
  ...(button.url === null ? {} : { url: fillIn(button.url, () => value) }),
  ...(button.phoneNumber === null ? {} : { phoneNumber: button.phoneNumber }),
})

/**
 * The `components` of a send; empty where the template takes none. Null where the variables do not fit: a send
 * that lacks something must not reach the provider.
 */
export function toProviderComponents(template: TemplateText, variables: Variables): unknown[] | null {
  if (variableFaults(compareVariables(template, variables)).length > 0) return null
  const parts = readParts(template.components)
  const lookUp = reader(variables)
  return placesOf(parts, cardCount(parts, Object.keys(variables))).flatMap((place) =>
    place.components(lookUp),
  )
}
