// What the values of template variables must be, and how the provider takes those that are no plain text. Pure.
import type { VariableKind } from '../contract/records/catalog.ts'
import { decodeId } from '../shared/ids.ts'

/** Says what the value must be; undefined where it is that. */
export const valueFault = (kind: VariableKind, value: string): string | undefined => faults[kind]?.(value)

/** 30 days: the longest that the provider keeps a call button. */
const mostMinutes = 43_200

type Fault = (value: string) => string | undefined

const must =
  (isGood: (value: string) => boolean, message: string): Fault =>
  (value) =>
    isGood(value) ? undefined : message

/** Kinds without an entry take any text. */
const faults: Readonly<Partial<Record<VariableKind, Fault>>> = {
  // A send has put the provider's id in the place of ours before.
  MEDIA: (value) => {
    if (isUpload(value) || isLink(value)) return undefined
    return decodeId('upload', value) === undefined
      ? 'must be a link (https://...) or the id of an uploaded file'
      : 'is a file that was uploaded with POST /media, which single messages take and campaigns do not; give a link (https://...)'
  },
  LATITUDE: must((value) => isDegrees(value, 90), 'must be a number from -90 to 90'),
  LONGITUDE: must((value) => isDegrees(value, 180), 'must be a number from -180 to 180'),
  MINUTES: must(
    (value) => /^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= mostMinutes,
    `must be a whole number from 1 to ${mostMinutes}`,
  ),
  JSON: must((value) => jsonObject(value) !== undefined, 'must be a JSON object, as text'),
  TIMESTAMP: must(
    (value) => timestamp.test(value) && Number.isFinite(Date.parse(value)),
    'must be a time such as 2026-12-24T18:00:00Z',
  ),
  PRODUCT_SECTIONS: must(
    (value) => productSections(value) !== undefined,
    'must be JSON text such as [{"title": "New", "products": ["sku-1"]}]: up to 10 sections, each with a title of up to 24 characters (a single one may go without), and up to 30 products in all',
  ),
}

const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

/** A value of digits is the provider's id of an uploaded file; any other value is a link. */
export const isUpload = (value: string): boolean => /^\d+$/.test(value)

const isLink = (value: string): boolean => /^https?:\/\//i.test(value) && URL.canParse(value)

const isDegrees = (value: string, most: number): boolean =>
  /^[+-]?\d{1,3}(\.\d{1,20})?$/.test(value) && Math.abs(Number(value)) <= most

export function jsonObject(value: string): object | undefined {
  const parsed = parsedJson(value)
  return isObject(parsed) ? parsed : undefined
}

/** A section of a multi-product message, in the provider's form. */
interface ProductSection {
  readonly title?: string
  readonly product_items: readonly { readonly product_retailer_id: string }[]
}

const mostSections = 10
const mostProducts = 30
const longestTitle = 24

/** Undefined where the text is no list of sections that the provider takes. */
export function productSections(value: string): readonly ProductSection[] | undefined {
  const parsed = parsedJson(value)
  if (!Array.isArray(parsed) || parsed.length === 0 || parsed.length > mostSections) return undefined
  const sections = parsed.map((section) => productSection(section, parsed.length > 1))
  const products = sections.reduce((sum, section) => sum + (section?.product_items.length ?? 0), 0)
  return products <= mostProducts && sections.every((section) => section !== undefined) ? sections : undefined
}

function productSection(section: unknown, needsTitle: boolean): ProductSection | undefined {
  if (!isObject(section)) return undefined
  const { title = '', products, ...others } = section as { title?: unknown; products?: unknown }
  if (Object.keys(others).length > 0) return undefined
  if (typeof title !== 'string' || [...title].length > longestTitle) return undefined
  if (needsTitle && title === '') return undefined
  if (!Array.isArray(products) || products.length === 0) return undefined
  if (!products.every((product) => typeof product === 'string' && product !== '')) return undefined
  return {
    ...(title !== '' && { title }),
    product_items: products.map((product: string) => ({ product_retailer_id: product })),
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parsedJson(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}
