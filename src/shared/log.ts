// The log as features use it: the fields of one unit of work, and the name of the event.

export interface Log {
  info(fields: object, event: string): void
  warn(fields: object, event: string): void
}
