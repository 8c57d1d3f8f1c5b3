/** Milliseconds of the machine's monotonic clock: the same zero in every process, so times taken in two of them can be compared. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
