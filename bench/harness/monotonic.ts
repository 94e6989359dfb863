/** Nanoseconds of the monotonic clock: comparable between processes, exact up to 104 days of uptime. */
export const nowNs = (): number => Number(process.hrtime.bigint())
