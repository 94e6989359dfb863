// Between an instant and the value of a field for a date and time, which is in the operator's time zone.

export function toInstant(local: string): string {
  const at = new Date(local)
  return local === '' || Number.isNaN(at.getTime()) ? '' : at.toISOString()
}

export function toLocal(instant: string): string {
  const at = new Date(instant)
  if (instant === '' || Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const format = new Intl.DateTimeFormat(undefined, {
  ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  hourCycle: 'h23',
})

/** An instant to the minute, for narrow places. */
export const moment = (instant: string): string => {
  const at = new Date(instant)
  return Number.isNaN(at.getTime()) ? instant : format.format(at)
}
