// Hints between processes over pub/sub. They may be lost, repeated or late, so a listener must also check its
// data itself from time to time.
import { bounded, type Redis } from './client.ts'
import { keys } from './keys.ts'

export type HintListener = (id: string) => void

export interface Hints {
  /** Never waits and never fails. */
  publish(topic: string, id: string): void
  /** Returns a function that ends the subscription. */
  subscribe(topic: string, listener: HintListener): () => void
}

/** The caller closes both connections. `subscriber` must be a dedicated connection. */
export async function startHints(commands: Redis, subscriber: Redis): Promise<Hints> {
  const listeners = new Map<string, Set<HintListener>>()
  // node-redis subscribes again by itself after a reconnect.
  const subscribed = subscriber.subscribe(keys.hints, (text) => {
    const split = text.indexOf(' ')
    for (const listener of listeners.get(text.slice(0, split)) ?? []) listener(text.slice(split + 1))
  })
  await bounded(subscribed)
  return {
    publish(topic, id) {
      bounded(commands.publish(keys.hints, `${topic} ${id}`)).catch(() => {})
    },
    subscribe(topic, listener) {
      const topicListeners = listeners.get(topic) ?? new Set()
      listeners.set(topic, topicListeners.add(listener))
      return () => topicListeners.delete(listener)
    },
  }
}
