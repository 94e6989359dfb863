import { connect } from 'node:net'

const PROBE_MS = 1000

/** Whether a Redis on loopback serves commands. False while it loads its file, or with a wrong password. */
export function answersPing(port: number, password: string | null): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    let answer = ''
    const finish = (isReady: boolean) => {
      socket.destroy()
      resolve(isReady)
    }
    socket.setTimeout(PROBE_MS, () => finish(false))
    socket.once('error', () => finish(false))
    socket.once('close', () => finish(false))
    socket.once('connect', () => socket.write(`${password === null ? '' : `AUTH ${password}\r\n`}PING\r\n`))
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      if (answer.endsWith('+PONG\r\n')) finish(true)
      else if (answer.includes('-')) finish(false)
    })
  })
}
