/** Calls `end` unless it is put off again within `ms`. */
export function limitSilence(ms: number, end: () => void) {
  let timer = setTimeout(end, ms)
  return {
    putOff() {
      clearTimeout(timer)
      timer = setTimeout(end, ms)
    },
    lift: () => clearTimeout(timer),
  }
}
