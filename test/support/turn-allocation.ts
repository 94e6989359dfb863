// Requests an allocation from a TURN server and returns its answer. Unlike the client of a WebRTC library, it
// reads refusals, which are unsigned: the server has no key for the user that it refuses.
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { classes, Message, makeIntegrityKey, methods, parseMessage } from 'werift'
import { PATIENCE_MS } from './patience.ts'

export interface TurnCredentials {
  readonly username: string
  readonly credential: string
}

const UDP = 0x11_00_00_00
const REPEAT_MS = 500

/** 200 when the allocation was granted, which ends with the socket; otherwise the code of the refusal. */
export async function askAllocation(
  port: number,
  { username, credential }: TurnCredentials,
): Promise<number> {
  const socket = createSocket('udp4')
  try {
    socket.connect(port, '127.0.0.1')
    await once(socket, 'connect')
    // The first request is refused by design: the refusal carries the realm and the nonce for the next one.
    const challenge = await exchange(socket, allocation())
    const realm: string = challenge.getAttributeValue('REALM')
    const request = allocation()
      .setAttribute('USERNAME', username)
      .setAttribute('REALM', realm)
      .setAttribute('NONCE', challenge.getAttributeValue('NONCE'))
      .addMessageIntegrity(makeIntegrityKey(username, realm, credential))
    const answer = await exchange(socket, request)
    return answer.messageClass === classes.RESPONSE ? 200 : answer.getAttributeValue('ERROR-CODE')[0]
  } finally {
    socket.close()
  }
}

const allocation = (): Message =>
  new Message(methods.ALLOCATE, classes.REQUEST)
    .setAttribute('LIFETIME', 60)
    .setAttribute('REQUESTED-TRANSPORT', UDP)

async function exchange(socket: Socket, request: Message): Promise<Message> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const repeat = setInterval(() => socket.send(request.bytes), REPEAT_MS)
  try {
    socket.send(request.bytes)
    for (;;) {
      const [data] = (await once(socket, 'message', { signal })) as [Buffer]
      const answer = parseMessage(data)
      if (answer?.transactionIdHex === request.transactionIdHex) return answer
    }
  } finally {
    clearInterval(repeat)
  }
}
