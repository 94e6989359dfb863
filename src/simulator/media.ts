import { createHash, createHmac } from 'node:crypto'
import { newDigits } from './ids.ts'
import type { MediaFile } from './model.ts'
import { ProviderError, unknownNode } from './provider-error.ts'
import { timeOf, type World } from './world.ts'

/** Limit of all files together. The oldest files are removed first. */
const TOTAL_BYTES = 512 * 1024 * 1024

const MEGABYTE = 1024 * 1024

/** Allowed uploads: prefix of the MIME type and maximum size. */
const UPLOADABLE: readonly (readonly [prefix: string, maxBytes: number])[] = [
  ['audio/aac', 16 * MEGABYTE],
  ['audio/amr', 16 * MEGABYTE],
  ['audio/mpeg', 16 * MEGABYTE],
  ['audio/mp4', 16 * MEGABYTE],
  ['audio/ogg', 16 * MEGABYTE],
  ['text/plain', 100 * MEGABYTE],
  ['application/pdf', 100 * MEGABYTE],
  ['application/msword', 100 * MEGABYTE],
  ['application/vnd.', 100 * MEGABYTE],
  ['image/jpeg', 5 * MEGABYTE],
  ['image/png', 5 * MEGABYTE],
  ['image/webp', MEGABYTE / 2],
  ['video/mp4', 16 * MEGABYTE],
  ['video/3gpp', 16 * MEGABYTE],
]

export function storeMedia(
  world: World,
  file: Pick<MediaFile, 'mimeType' | 'fileName' | 'bytes'>,
): MediaFile {
  const stored = { ...file, id: newDigits(), sha256: createHash('sha256').update(file.bytes).digest() }
  world.media.set(stored.id, stored)
  let total = 0
  for (const { bytes } of world.media.values()) total += bytes.length
  for (const [id, { bytes }] of world.media) {
    if (total <= TOTAL_BYTES) break
    total -= bytes.length
    world.media.delete(id)
  }
  return stored
}

type Multipart = Readonly<{ contentType: string; raw: Buffer; query: URLSearchParams }>

/** Reads the multipart body of an upload and stores the file. */
export async function uploadMedia(world: World, { contentType, raw, query }: Multipart): Promise<MediaFile> {
  const form = await readForm(contentType, raw)
  // Clients put it into either.
  if ((form.get('messaging_product') ?? query.get('messaging_product')) !== 'whatsapp') {
    throw new ProviderError(100, 'The parameter messaging_product is required.')
  }
  const file = form.get('file')
  if (file === null || typeof file === 'string')
    throw new ProviderError(100, 'The parameter file is required.')
  const allowed = UPLOADABLE.find(([prefix]) => file.type.startsWith(prefix))
  if (allowed === undefined) {
    throw new ProviderError(
      100,
      `Param file must be a file with one of the supported types, not '${file.type}'.`,
    )
  }
  if (file.size > allowed[1]) throw new ProviderError(131053, `The file is larger than ${allowed[1]} bytes.`)
  const bytes = Buffer.from(await file.arrayBuffer())
  return storeMedia(world, { mimeType: file.type, fileName: file.name, bytes })
}

async function readForm(contentType: string, raw: Buffer): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(raw), { headers: { 'content-type': contentType } }).formData()
  } catch {
    throw new ProviderError(100, 'The body must be multipart/form-data.')
  }
}

const urlHash = (world: World, id: string, expires: string): string =>
  createHmac('sha256', world.settings.appSecret).update(`${id}:${expires}`).digest('base64url')

/** A download URL that expires. It lacks the provider's `source=webhook`, which makes no difference here. */
export function mediaUrl(world: World, id: string): string {
  const expires = String(timeOf(world) + world.config.mediaUrlTtlMs)
  return `${world.url}/media-files/?mid=${id}&ext=${expires}&hash=${urlHash(world, id, expires)}`
}

export function mediaView(world: World, file: MediaFile): unknown {
  return {
    messaging_product: 'whatsapp',
    url: mediaUrl(world, file.id),
    mime_type: file.mimeType,
    sha256: file.sha256.toString('hex'),
    file_size: file.bytes.length,
    id: file.id,
  }
}

/** The file of a download URL. An expired or wrong URL is a 404, as at the provider. */
export function downloadMedia(world: World, query: URLSearchParams): MediaFile {
  const id = query.get('mid') ?? ''
  const expires = query.get('ext') ?? ''
  const file = world.media.get(id)
  const genuine = query.get('hash') === urlHash(world, id, expires) && Number(expires) > timeOf(world)
  if (file === undefined || !genuine) {
    throw new ProviderError(100, 'The media URL has expired or is wrong.', { status: 404 })
  }
  return file
}

export function deleteMedia(world: World, id: string): void {
  if (!world.media.delete(id)) throw unknownNode(id, 'delete')
}
