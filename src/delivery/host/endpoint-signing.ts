// The headers of what is sent to an endpoint, signed with the secret of its current configuration.
import type { Clock } from '../../shared/clock.ts'
import { encodeId } from '../../shared/ids.ts'
import type { DirectItem, EndpointConfig, QueuedItem } from '../endpoint.ts'
import { createSigner, type Signer } from '../signature.ts'

export interface EndpointSigning {
  attemptHeaders(
    config: EndpointConfig,
    item: QueuedItem | DirectItem,
    body: Uint8Array,
  ): Record<string, string>
  handshakeHeaders(config: EndpointConfig, dialledAt: number): Record<string, string>
}

export const isQueued = (item: QueuedItem | DirectItem): item is QueuedItem => 'deliveryId' in item

export function createSigning(clock: Clock): EndpointSigning {
  // Each configuration is a new object: keys are imported once for it, and again when an overlap ends.
  const during = new WeakMap<EndpointConfig, Signer>()
  const after = new WeakMap<EndpointConfig, Signer>()

  function signerOf(config: EndpointConfig): Signer {
    const previous = config.previousSecret
    const isOver = previous === null || previous.untilMs <= clock.now()
    const signers = isOver ? after : during
    const known = signers.get(config)
    if (known) return known
    const signer = createSigner({ current: config.secret, previous: isOver ? undefined : previous.secret })
    signers.set(config, signer)
    return signer
  }

  return {
    attemptHeaders(config, item, body) {
      const signer = signerOf(config)
      const at = new Date(clock.now())
      if (isQueued(item)) {
        const { kind: event, deliveryId, attemptNumber } = item
        return signer.attemptHeaders({
          event,
          deliveryId: encodeId('delivery', deliveryId),
          attemptNumber,
          body,
          at,
        })
      }
      // A direct event has no row, so its id only distinguishes one send from another.
      const deliveryId = `${item.kind}.${crypto.randomUUID()}`
      return {
        ...item.headers,
        ...signer.attemptHeaders({ event: item.kind, deliveryId, attemptNumber: 1, body, at }),
      }
    },
    handshakeHeaders: (config, dialledAt) =>
      signerOf(config).handshakeHeaders(dialledAt, crypto.randomUUID()),
  }
}
