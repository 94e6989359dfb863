// Which files the provider takes for each kind of message, and how large they may be. Pure.
import type { SentMediaKind } from '../contract/message-content.ts'

const mib = 1024 * 1024
const office = 'application/vnd.openxmlformats-officedocument'

interface KindRule {
  readonly types: readonly string[]
  readonly limitBytes: number
}

const audio = ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg']

const rules: Readonly<Record<SentMediaKind, KindRule>> = {
  image: { types: ['image/jpeg', 'image/png'], limitBytes: 5 * mib },
  video: { types: ['video/mp4', 'video/3gpp'], limitBytes: 16 * mib },
  audio: { types: audio, limitBytes: 16 * mib },
  voice: { types: ['audio/ogg'], limitBytes: 16 * mib },
  document: {
    types: [
      'application/pdf',
      'text/plain',
      'application/msword',
      'application/vnd.ms-excel',
      'application/vnd.ms-powerpoint',
      `${office}.wordprocessingml.document`,
      `${office}.spreadsheetml.sheet`,
      `${office}.presentationml.presentation`,
    ],
    limitBytes: 100 * mib,
  },
  sticker: { types: ['image/webp'], limitBytes: 500 * 1024 },
}

const all = Object.values(rules)

/** Every media type that can be uploaded. */
export const uploadTypes: readonly string[] = [...new Set(all.flatMap(({ types }) => types))]

/** In bytes; undefined for a type that the provider does not take. */
export const uploadLimit = (mimeType: string): number | undefined =>
  all.find(({ types }) => types.includes(mimeType))?.limitBytes

/** The largest upload of any type. */
export const largestUpload = Math.max(...all.map(({ limitBytes }) => limitBytes))

/** The types for one kind; undefined where this one fits. */
export const typesInstead = (kind: SentMediaKind, mimeType: string): readonly string[] | undefined =>
  rules[kind].types.includes(mimeType) ? undefined : rules[kind].types
