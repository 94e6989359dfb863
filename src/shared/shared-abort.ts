import { setMaxListeners } from 'node:events'

/** An AbortController for work of any number. With more than ten listeners on a signal, Node warns of a leak. */
export function sharedAbort(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}
