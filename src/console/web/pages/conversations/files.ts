// Which files a customer can be sent, checked before anything is uploaded. Pure.
import { bytes } from '../../core/format.ts'

const MIB = 1_048_576
const office = 'application/vnd.openxmlformats-officedocument'

const kinds: readonly { readonly types: readonly string[]; readonly most: number }[] = [
  { types: ['image/jpeg', 'image/png'], most: 5 * MIB },
  { types: ['video/mp4', 'video/3gpp'], most: 16 * MIB },
  { types: ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg'], most: 16 * MIB },
  { types: ['image/webp'], most: 500 * 1_024 },
  {
    types: [
      ...['application/pdf', 'text/plain', 'application/msword', 'application/vnd.ms-excel'],
      ...['application/vnd.ms-powerpoint', `${office}.wordprocessingml.document`],
      ...[`${office}.spreadsheetml.sheet`, `${office}.presentationml.presentation`],
    ],
    most: 100 * MIB,
  },
]

/** For the choice of a file. */
export const acceptedTypes = kinds.flatMap(({ types }) => types).join(',')

/** What is wrong with a file; undefined where it can be sent. */
export function fileProblem({ type, size }: Pick<File, 'type' | 'size'>): string | undefined {
  const kind = kinds.find(({ types }) => types.includes(type))
  if (!kind)
    return 'Customers can be sent JPEG, PNG and WebP pictures, MP4 videos, sound, PDF, text and Office files.'
  if (size === 0) return 'The file is empty.'
  return size > kind.most ? `It has ${bytes(size)}; at most ${bytes(kind.most)} can be sent.` : undefined
}

export type FileKind = 'image' | 'video' | 'audio' | 'sticker' | 'document'

export function fileKind(mimeType: string): FileKind {
  if (mimeType === 'image/webp') return 'sticker'
  const [family = ''] = mimeType.split('/')
  return family === 'image' || family === 'video' || family === 'audio' ? family : 'document'
}
