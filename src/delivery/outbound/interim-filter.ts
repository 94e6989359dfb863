// Removes unsolicited interim answers (1xx) from what a receiver sends. RFC 9110 section 15.2 lets a client
// skip them, but undici ends a connection on which a 100 arrives.

/** Not 101: a protocol that nobody asked for is a fault, which the client reports. */
const interim = /^HTTP\/\d\.\d 1(?!01)\d\d[ \r]$/
/** What can still become such a status. */
const beginning = /^H(T(T(P(\/(\d(\.(\d( (1\d{0,2})?)?)?)?)?)?)?)?)?$/
const STATUS_BYTES = 'HTTP/1.1 1xx '.length
const END_OF_HEAD = Buffer.from('\r\n\r\n')
const nothing = Buffer.alloc(0)

/** Holds at most the beginning of a status line. */
export class InterimFilter {
  #place: 'start' | 'interim' | 'answer' = 'answer'
  #held: Buffer = nothing
  /** Bytes of the end of a head that the last piece ended with. */
  #matched = 0

  /** Call before a request: the next byte begins an answer. */
  expectAnswer(): void {
    this.#place = 'start'
    this.#held = nothing
    this.#matched = 0
  }

  /** The bytes that belong to the answer itself; empty when there are none yet. */
  pass(piece: Buffer): Buffer {
    let rest = piece
    while (this.#place !== 'answer' && rest.byteLength > 0)
      rest = this.#place === 'start' ? this.#judge(rest) : this.#skip(rest)
    return rest
  }

  #judge(piece: Buffer): Buffer {
    const bytes = this.#held.byteLength === 0 ? piece : Buffer.concat([this.#held, piece])
    this.#held = nothing
    this.#place = placeOf(bytes.toString('latin1', 0, STATUS_BYTES))
    if (this.#place !== 'start') return bytes
    this.#held = bytes
    return nothing
  }

  #skip(piece: Buffer): Buffer {
    for (let index = 0; index < piece.byteLength; index += 1) {
      const byte = piece[index]
      if (byte === END_OF_HEAD[this.#matched]) this.#matched += 1
      else this.#matched = byte === END_OF_HEAD[0] ? 1 : 0
      if (this.#matched < END_OF_HEAD.byteLength) continue
      this.expectAnswer()
      return piece.subarray(index + 1)
    }
    return nothing
  }
}

/** What the beginning of a head says; `start` while it is too short to tell. */
function placeOf(text: string): 'start' | 'interim' | 'answer' {
  if (beginning.test(text)) return 'start'
  return interim.test(text) ? 'interim' : 'answer'
}
