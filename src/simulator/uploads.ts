// Resumable uploads: the samples of templates with a media header. A finished upload is a handle.
import { randomBytes } from 'node:crypto'
import * as v from 'valibot'
import type { Upload } from './model.ts'
import { ProviderError, unknownNode } from './provider-error.ts'
import { readWire } from './wire.ts'
import type { World } from './world.ts'

const MEGABYTE = 1024 * 1024
const LARGEST = 100 * MEGABYTE

const text = v.string()

const Session = v.looseObject({
  file_length: v.pipe(
    v.union([text, v.number()]),
    v.transform(Number),
    v.integer('must be a number of bytes'),
    v.minValue(1, 'must be a number of bytes'),
    v.maxValue(LARGEST, 'is too large'),
  ),
  file_type: v.pipe(
    text,
    v.picklist(
      ['image/jpeg', 'image/jpg', 'image/png', 'video/mp4', 'application/pdf'],
      'is not a supported file type',
    ),
  ),
  file_name: v.optional(text),
})

/** `POST /<app>/uploads`: the parameters stand in the query or in the body. */
export function startUpload(world: World, query: URLSearchParams, body: unknown): unknown {
  const given = { ...Object.fromEntries(query), ...Object(body) }
  const { file_length: length, file_type: fileType } = readWire(Session, given)
  const id = `upload:${randomBytes(24).toString('base64url')}`
  world.uploads.set(id, { fileType, length, received: 0 })
  return { id }
}

function uploadOf(world: World, id: string): Upload {
  const upload = world.uploads.get(id)
  if (upload === undefined) throw unknownNode(id)
  return upload
}

/** `GET /upload:...`: where an interrupted upload goes on. */
export function uploadView(world: World, id: string): unknown {
  return { id, file_offset: uploadOf(world, id).received }
}

/** `POST /upload:...` with the header `file_offset`: bytes from there on. Answers the handle after the last one. */
export function continueUpload(world: World, id: string, offset: string | undefined, raw: Buffer): unknown {
  const upload = uploadOf(world, id)
  if (offset !== String(upload.received)) {
    throw new ProviderError(100, `file_offset must be ${upload.received}`)
  }
  if (upload.received + raw.length > upload.length)
    throw new ProviderError(100, 'The file is longer than it said')
  upload.received += raw.length
  if (upload.received < upload.length) return { id, file_offset: upload.received }
  upload.handle ??= newHandle(world, upload.fileType)
  return { h: upload.handle }
}

/** The handle of a finished upload of this type. */
export function newHandle(world: World, fileType: string): string {
  const handle = `4:${randomBytes(48).toString('base64')}`
  world.handles.set(handle, fileType)
  return handle
}

const TYPE_OF: Readonly<Record<string, RegExp>> = {
  IMAGE: /^image\//,
  VIDEO: /^video\//,
  GIF: /^video\//,
  DOCUMENT: /^application\/pdf/,
}

/** A media header needs the handle of a finished upload of a fitting type as its example. */
export function checkSample(world: World, format: string, example: unknown): void {
  const type = TYPE_OF[format]
  if (type === undefined) return
  const handles: unknown = Reflect.get(Object(example), 'header_handle')
  const handle: unknown = Array.isArray(handles) ? handles[0] : undefined
  if (typeof handle !== 'string') {
    throw new ProviderError(
      100,
      'Message templates with media headers need a sample: example.header_handle',
      {
        subcode: 2388043,
      },
    )
  }
  const fileType = world.handles.get(handle)
  if (fileType === undefined || !type.test(fileType)) {
    throw new ProviderError(
      100,
      `The uploaded sample is missing, has expired or is no ${format.toLowerCase()}.`,
      {
        subcode: 2388273,
      },
    )
  }
}
