// Finds the file in a multipart/form-data body, and reads it as a stream. Other fields are skipped.
import { AppError } from '../../contract/errors.ts'
import { storable } from '../../shared/storable-text.ts'

export interface FormFile {
  /** As the part names it, without parameters; empty where it names none. */
  readonly type: string
  /** Without folders; empty where the part names none. */
  readonly fileName: string
  /** Must be read to the end. */
  readonly pieces: AsyncIterable<Uint8Array>
}

const longestHead = 8 * 1024
/** Of all that comes before the file. */
const longestBefore = 64 * 1024
const headEnd = Buffer.from('\r\n\r\n')
/** Behind the last boundary. */
const lastMark = Buffer.from('--')

/** The first part with a file name, or named `file`. */
export async function openFormFile(contentType: string, body: AsyncIterable<Uint8Array>): Promise<FormFile> {
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType)
  const name = boundary?.[1] ?? boundary?.[2]
  if (name === undefined) throw malformed('names no boundary')
  const mark = Buffer.from(`\r\n--${name}`)
  // The first boundary may be the first line.
  const reader = new MarkReader(body, Buffer.from('\r\n'))
  try {
    return await findFile(reader, mark)
  } catch (error) {
    await reader.close()
    throw error
  }
}

async function findFile(reader: MarkReader, mark: Buffer): Promise<FormFile> {
  for (;;) {
    await reader.collect(mark, longestBefore)
    if (await reader.isNext(lastMark))
      throw new AppError('VALIDATION_ERROR', 'the form has no file; send it in the field file', noFile)
    const head = (await reader.collect(headEnd, longestHead)).toString('utf8')
    const disposition = /^content-disposition:(.*)$/im.exec(head)?.[1] ?? ''
    const fileName = fileNameOf(disposition)
    if (fileName !== undefined || /;\s*name="?file"?\s*(?:;|$)/i.test(disposition)) {
      const type = /^content-type:\s*([^\s;]+)/im.exec(head)?.[1] ?? ''
      return { type: type.toLowerCase(), fileName: fileName ?? '', pieces: reader.rest(mark) }
    }
  }
}

const noFile = { details: [{ path: 'file', message: 'is required' }] }

const malformed = (what: string) =>
  new AppError('VALIDATION_ERROR', `the form ${what}; send it as multipart/form-data with one file`, {
    details: [{ path: 'file', message: `cannot be read: the form ${what}` }],
  })

/** `filename*` is in UTF-8; in `filename`, browsers escape quotes as %22 and curl with a backslash. */
function fileNameOf(disposition: string): string | undefined {
  const extended = /;\s*filename\*=utf-8''([^;\s]+)/i.exec(disposition)?.[1]
  const plain = /;\s*filename=(?:"((?:\\.|[^"\\])*)"|([^;\s]+))/i.exec(disposition)
  const given =
    decoded(extended) ?? plain?.[1]?.replaceAll(/\\(["\\])/g, '$1').replaceAll('%22', '"') ?? plain?.[2]
  return given === undefined ? undefined : storable(given).split(/[\\/]/).at(-1)
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Reads a stream up to marks in it. Holds one piece, and as many bytes of the piece before as a mark has. */
class MarkReader {
  readonly #pieces: AsyncIterator<Uint8Array>
  #held: Buffer

  constructor(pieces: AsyncIterable<Uint8Array>, before: Buffer) {
    this.#pieces = pieces[Symbol.asyncIterator]()
    this.#held = before
  }

  /** All bytes up to the mark, which is taken away. */
  async collect(mark: Buffer, limitBytes: number): Promise<Buffer> {
    const parts: Buffer[] = []
    let size = 0
    for await (const part of this.#until(mark)) {
      size += part.byteLength
      if (size > limitBytes) throw malformed('has too much before its file')
      parts.push(part)
    }
    return Buffer.concat(parts)
  }

  /** The bytes up to the mark. Then reads the body to its end, so that its connection can be used again. */
  async *rest(mark: Buffer): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#until(mark)
      while (await this.#more()) this.#held = Buffer.alloc(0)
    } finally {
      await this.close()
    }
  }

  /** Whether the next bytes are these. They are not taken away. */
  async isNext(bytes: Buffer): Promise<boolean> {
    while (this.#held.byteLength < bytes.byteLength) if (!(await this.#more())) return false
    return this.#held.subarray(0, bytes.byteLength).equals(bytes)
  }

  /** Gives up what is not read yet. */
  async close(): Promise<void> {
    await this.#pieces.return?.()
  }

  async *#until(mark: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#held.indexOf(mark)
      if (at >= 0) {
        const found = this.#held.subarray(0, at)
        this.#held = this.#held.subarray(at + mark.byteLength)
        if (found.byteLength > 0) yield found
        return
      }
      // The mark may begin in the bytes that are held back.
      const sure = this.#held.byteLength - mark.byteLength + 1
      if (sure > 0) {
        const part = this.#held.subarray(0, sure)
        this.#held = this.#held.subarray(sure)
        yield part
      }
      if (!(await this.#more())) throw malformed('ends before its last boundary')
    }
  }

  async #more(): Promise<boolean> {
    const next = await this.#pieces.next()
    if (next.done) return false
    // A piece of the network may be overwritten after the next one is asked for.
    this.#held = Buffer.concat([this.#held, next.value])
    return true
  }
}
