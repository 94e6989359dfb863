// The files that all pages share, console, documentation and handsets: the font and the icon. Each origin serves
// them under the same path, so that a browser has them once.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { encode } from '../shared/encoded.ts'
import { filesByName, type PageFile } from './page-files.ts'

export const SHARED = '/assets/'

const read = (path: string): Uint8Array => readFileSync(new URL(path, import.meta.url))

/** `font/inter.woff2` → `inter-1A2B3C4D.woff2`: a name that changes with the content. */
function hashed(path: string, bytes: Uint8Array): string {
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8).toUpperCase()
  return (path.split('/').at(-1) ?? '').replace('.', `-${hash}.`)
}

const sources = ['font/inter.woff2', 'icons/icon.svg'].map((path) => {
  const bytes = read(path)
  return { path, bytes, name: hashed(path, bytes) }
})

/** The address of a shared file by its path below `src/web`; undefined for any other. */
export function sharedAddress(path: string): string | undefined {
  const found = sources.find((source) => source.path === path)
  return found && SHARED + found.name
}

/** A style sheet of `src/web/styles` with the addresses of what it names. */
export const sharedStyle = (name: string): string =>
  Buffer.from(read(`styles/${name}`))
    .toString('utf8')
    .replaceAll(/url\("\.\.\/([^"]+)"\)/g, (_, path: string) => `url("${sharedAddress(path)}")`)

/** In the head of every page: the icon, and the font, which is fetched along with the style. */
export const sharedLinks = `<link rel="icon" href="/favicon.ico" sizes="32x32">
<link rel="icon" href="${sharedAddress('icons/icon.svg')}" type="image/svg+xml">
<link rel="preload" href="${sharedAddress('font/inter.woff2')}" as="font" type="font/woff2" crossorigin>`

/** A font is compressed in itself, and what is as small as an icon gains nothing worth a header. */
const isCompressed = (name: string): boolean => /\.(woff2|ico)$/.test(name)

/** By name; `favicon.ico` is the one that browsers ask for by themselves, at the root. */
export async function sharedFiles(): Promise<readonly PageFile[]> {
  const plain = [...sources, { name: 'favicon.ico', bytes: read('icons/favicon.ico') }]
  return Promise.all(
    plain.map(async ({ name, bytes }) => ({
      name,
      ...(isCompressed(name) ? { bytes } : await encode(bytes)),
    })),
  )
}

let served: ReturnType<typeof load> | undefined
const load = async () => filesByName(await sharedFiles())

/** The shared file at the path of a request; undefined where there is none. */
export async function sharedFileAt(path: string) {
  served ??= load()
  const files = await served
  return files.get(path === '/favicon.ico' ? 'favicon.ico' : path.slice(SHARED.length))
}

export const isSharedPath = (path: string): boolean => path.startsWith(SHARED) || path === '/favicon.ico'
