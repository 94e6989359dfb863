// Replies of a conversation reach the customer in the order in which they were written: what failed holds up those after
// it, until it is sent or discarded. Pure.

interface Reply {
  readonly id: string
  readonly conversationId: string
  readonly bodies: readonly unknown[]
  readonly problem?: string
}

const unsent = <Of extends Reply>(all: readonly Of[], conversationId: string): readonly Of[] =>
  all.filter((one) => one.conversationId === conversationId && one.bodies.length > 0)

/** The next to be sent; undefined if there is none, or if the first has failed. */
export function nextToSend<Of extends Reply>(all: readonly Of[], conversationId: string): Of | undefined {
  const [first] = unsent(all, conversationId)
  return first?.problem === undefined ? first : undefined
}

/** Whether one before it has failed. */
export function isHeldUp<Of extends Reply>(all: readonly Of[], { id, conversationId }: Of): boolean {
  const waiting = unsent(all, conversationId)
  return waiting
    .slice(
      0,
      waiting.findIndex((one) => one.id === id),
    )
    .some((one) => one.problem !== undefined)
}

/** Without the problems of this one and of those before it, which go first. */
export function triedAgain<Of extends Reply>(all: readonly Of[], { id, conversationId }: Of): readonly Of[] {
  const last = all.findIndex((one) => one.id === id)
  return all.map((one, index) => {
    if (index > last || one.conversationId !== conversationId) return one
    const { problem: _, ...again } = one
    return again as Of
  })
}
