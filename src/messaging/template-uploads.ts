// Files that were uploaded with POST /media, as values of a template's variables. A send stores the provider's ids of
// them: so it can be made again without looking them up. Pure.
import type { SentMediaKind } from '../contract/message-content.ts'
import { decodeId, type UploadId } from '../shared/ids.ts'
import { checkUpload, type UploadFault } from './check-upload.ts'
import type { StoredUpload } from './free-form-content.ts'
import type { SenderNumber } from './ports.ts'
import { type Header, readParts, type TemplateText } from './template-components.ts'
import { cardPrefix, headerNames } from './template-names.ts'
import { reader, type Variables } from './template-variables.ts'

/** The uploads that variables may name. It may also be the text of another variable: only the template tells. */
export const uploadIdsIn = (variables: Variables): UploadId[] => [
  ...new Set(Object.values(variables).flatMap((value) => decodeId('upload', value) ?? [])),
]

export interface VariableUploadFault extends UploadFault {
  readonly variable: string
}

interface FilledVariables {
  readonly variables: Variables
  readonly faults: readonly VariableUploadFault[]
}

/**
 * The variables with the provider's id in the place of each upload in a media header. A document gets the name of its
 * upload, unless another is given: the provider does not take it from there.
 */
export function withUploads(
  template: TemplateText,
  variables: Variables,
  { uploads, number }: { readonly uploads: readonly StoredUpload[]; readonly number: SenderNumber | null },
): FilledVariables {
  const lookUp = reader(variables)
  const named = mediaHeaders(template).flatMap(({ variable, nameVariable, kind }) => {
    const id = decodeId('upload', lookUp(variable) ?? '')
    if (id === undefined) return []
    const upload = uploads.find((one) => one.id === id)
    return { variable, nameVariable, ...checkUpload(upload, { kind, number }) }
  })
  const filled = named.flatMap(({ variable, nameVariable, ...one }) => {
    if (one.fault) return []
    const { providerMediaId, fileName } = one.upload
    const isNamed = nameVariable === undefined || lookUp(nameVariable) !== undefined
    return [[variable, providerMediaId] as const, ...(isNamed ? [] : [[nameVariable, fileName] as const])]
  })
  return {
    variables: filled.length === 0 ? variables : { ...variables, ...Object.fromEntries(filled) },
    faults: named.flatMap(({ variable, fault }) => (fault ? { variable, ...fault } : [])),
  }
}

const kinds = {
  IMAGE: 'image',
  VIDEO: 'video',
  GIF: 'video',
  DOCUMENT: 'document',
} as const satisfies Partial<Record<Header['format'], SentMediaKind>>

const isMedia = (format: Header['format']): format is keyof typeof kinds => Object.hasOwn(kinds, format)

/** Only carousels of products have more cards than their template. */
function mediaHeaders({ components }: TemplateText) {
  const { header, cards } = readParts(components)
  const headers = [header, ...cards.map((card) => card.header)]
  return headers.flatMap((one, index) => {
    if (!one || !isMedia(one.format)) return []
    const prefix = index === 0 ? '' : cardPrefix(index - 1)
    return {
      variable: `${prefix}${headerNames.media}`,
      nameVariable: one.format === 'DOCUMENT' ? `${prefix}${headerNames.fileName}` : undefined,
      kind: kinds[one.format],
    }
  })
}
