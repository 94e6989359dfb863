// Client of the control API. A refused request throws an error with the simulator's message.

export async function control<Body = unknown>(method: string, path: string, body?: unknown): Promise<Body> {
  const init: RequestInit = { method }
  if (body !== undefined) {
    init.body = JSON.stringify(body)
    init.headers = { 'content-type': 'application/json' }
  }
  const answer = await fetch(`/sim/${path}`, init).catch(() => {
    throw new Error('The simulator cannot be reached. Is it still running?')
  })
  const answered = (await answer.json().catch(() => ({}))) as { error?: { message?: string } }
  if (!answer.ok)
    throw new Error(asSentence(answered.error?.message ?? `the simulator answered ${answer.status}`))
  return answered as Body
}

const asSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Sends a control request for one handset. Resolves to false when it fails; the phone shows the error. */
export type Act = (method: string, path: string, body?: unknown) => Promise<boolean>
