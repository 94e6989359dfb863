// Lets actors outlive a restore of Postgres to an older state. Their rows are then missing, or have an older epoch
// than the one that they were given, which nothing else can cause. Without this, they would be dropped as fenced.
import type { ActorHost } from './actor.ts'

export interface Restores {
  /** Postgres has given this process this epoch. */
  given(epoch: number): void
  /** Asks whether Postgres was restored. If so, resolves when what memory holds has been written again. */
  check(): Promise<boolean>
}

/** For a process that does not watch for it. */
export const noRestores: Restores = { given: () => undefined, check: () => Promise.resolve(false) }

// biome-ignore lint/suspicious/noExplicitAny: it passes the messages, transactions and effects of any feature on.
type AnyHost = ActorHost<any, any, any, any>

/** The host, and the epochs of the actors that are live in this process. */
export function outliveRestore<Host extends AnyHost>(
  host: Host,
  restores: Restores,
): { readonly host: Host; readonly epochOf: (id: string) => number | undefined } {
  const held = new Map<string, number>()
  const drop = (id: string, epoch: number) => {
    if (held.get(id) === epoch) held.delete(id)
  }
  /** True when the row may be as it was left: Postgres was asked, and what was missing is written. */
  const looked = () =>
    restores.check().then(
      () => true,
      () => false,
    )
  return {
    epochOf: (id) => held.get(id),
    host: {
      ...host,
      activated(context, hasFirst) {
        held.set(context.id, context.epoch)
        restores.given(context.epoch)
        host.activated?.(context, hasFirst)
      },
      async confirm(owned) {
        const others = await host.confirm(owned)
        const isOlder = [...others].some(([id, epoch = -1]) => epoch < (held.get(id) ?? -1))
        if (!isOlder) return others
        // Where this fails, nothing is known: what could not be written again yet is not gone.
        await restores.check()
        return host.confirm(owned)
      },
      async commit(id, epoch, tx) {
        const result = await host.commit(id, epoch, tx)
        if (result.type !== 'fenced' || held.get(id) !== epoch || !(await looked())) return result
        const others = await host.confirm([{ id, epoch }])
        return others.size === 0 ? host.commit(id, epoch, tx) : result
      },
      async release(owned, sid) {
        await host.release(owned, sid)
        for (const { id, epoch } of owned) drop(id, epoch)
      },
      dropped(id, epoch) {
        drop(id, epoch)
        host.dropped(id, epoch)
      },
    },
  }
}
