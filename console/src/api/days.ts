/** Days such as `2026-01-31` in the viewer's time zone. */

/** The times at which the first day begins and the last day ends. */
export function daysOf({ from, to }: { from?: string | undefined; to?: string | undefined }) {
  return { from: dayStart(from, 0), to: dayStart(to, 1) }
}

/** The start of a day, `later` days after `day`. */
function dayStart(day: string | undefined, later: number): string | undefined {
  const [year, month, date] =
    /^(\d{4})-(\d\d)-(\d\d)$/
      .exec(day ?? '')
      ?.slice(1)
      .map(Number) ?? []
  if (year === undefined) return undefined
  return new Date(year, month! - 1, date! + later).toISOString()
}
