import assert from 'node:assert/strict'
import { after, before } from '../support/harness.ts'
import { askPermission, decline, miss, place, ringInVain, talk } from './call-steps.ts'
import { chooseMarketing, optOut, receive, route, sendAndFollow, sendInVain } from './message-steps.ts'
import { openScene, type Scene, stepsOf } from './scene.ts'

let scene: Scene
before(async () => {
  scene = await openScene({ gateways: 1 })
})
after(() => scene?.close())

const step = stepsOf(() => scene.stack)

step('a message that is sent, delivered and read tells both receivers of each', () => sendAndFollow(scene))
step('a message that fails tells both receivers why', () => sendInVain(scene))
step('a text from a customer reaches both receivers', () => receive(scene))
step('STOP keeps messages back until START', () => optOut(scene))
step('a choice about marketing reaches both receivers and is shown', () => chooseMarketing(scene))
step('a number assigned to one endpoint sends its texts there alone', () => route(scene))
step('a call rings at the socket, is answered once, carries audio and ends', () => talk(scene))
step('a ringing call can be declined', () => decline(scene))
step('a caller who gives up leaves a missed call', () => miss(scene))
step('a ring that the HTTPS receiver does not take is told on the call, and rings on', () =>
  ringInVain(scene),
)
step('a call placed from an offer is answered over the socket', () => place(scene))
step('a contact is called only after it has allowed it', () => askPermission(scene))
step('all of it took one socket', async () => {
  assert.equal(scene.socket.connections.length, 1)
  assert.equal(scene.socket.connections[0]?.closed, undefined)
})
