// The instants of an event on its way through a gateway. The bench listens to them; without a listener a mark
// costs one look-up.
import { channel } from 'node:diagnostics_channel'

const channels = {
  /** The body of a webhook was read. */
  received: channel('switchboard.received'),
  /** The change and its event are durable. */
  committed: channel('switchboard.committed'),
  /** The transport begins an attempt. */
  handedOver: channel('switchboard.handedOver'),
  /** Frame or request are written to the connection. */
  written: channel('switchboard.written'),
} as const

export type MarkName = keyof typeof channels

/** `body`: the webhook, the frame or the request; a listener must not keep it longer than it measures. */
export function mark(name: MarkName, body: Uint8Array | string): void {
  const { [name]: marked } = channels
  if (marked.hasSubscribers) marked.publish(body)
}
