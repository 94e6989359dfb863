// An answer made of the body while that comes. If a reader who is slow held up the making, a client that first sends all and
// then reads would wait for us and we for it. So it is made ahead of the reader, up to a limit.

export interface UnreadOptions {
  readonly maxBytes: number
  /** Whether more of the body is to come: what the rest makes is little, and no limit applies to it. */
  readonly isFlowing: () => boolean
  /** The limit is passed. Nothing comes behind it. */
  readonly onFull: () => void
}

export async function* readAheadOf(
  source: AsyncIterable<Uint8Array>,
  { maxBytes, isFlowing, onFull }: UnreadOptions,
): AsyncGenerator<Uint8Array> {
  const unread: Uint8Array[] = []
  let bytes = 0
  let isLeft = false
  let wake = (): void => undefined
  const make = async (): Promise<void> => {
    for await (const chunk of source) {
      if (isLeft) return
      unread.push(chunk)
      bytes += chunk.byteLength
      if (bytes > maxBytes && isFlowing()) return onFull()
      wake()
    }
  }
  let outcome: { readonly error?: unknown } | undefined
  const making = make().then(
    () => ({}),
    (error: unknown) => ({ error }),
  )
  void making.then((settled) => {
    outcome = settled
    wake()
  })
  try {
    for (;;) {
      const chunk = unread.shift()
      if (chunk) {
        yield chunk
        bytes -= chunk.byteLength
      } else if (outcome) {
        if ('error' in outcome) throw outcome.error
        return
      } else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  } finally {
    isLeft = true
  }
}
