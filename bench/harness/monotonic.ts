/** Nanoseconds of the machine's monotonic clock: comparable between processes, exact for the first 104 days of uptime. */
export const nowNs = (): number => Number(process.hrtime.bigint())
