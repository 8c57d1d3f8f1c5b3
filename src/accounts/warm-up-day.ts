/** When the warm-up of source addresses began, and its days. */
import { dayNumber } from '../common/utc-day.ts'
import type { SourcePool } from './account.ts'

/** When the warm-up of each address began, in Unix ms. */
export function warmUps(pools: readonly SourcePool[]): ReadonlyMap<string, number> {
  return new Map(pools.flatMap(({ warming }) => Object.entries(warming)))
}

/** When the warm-up of a source with these addresses began; undefined: never. */
export function warmUpSince(
  since: ReadonlyMap<string, number>,
  { ipv4, ipv6 }: { ipv4: string | null; ipv6: string | null },
): number | undefined {
  return since.get(ipv4 ?? '') ?? since.get(ipv6 ?? '')
}

/** The day of a warm-up that began at `since`, from 1; both in Unix ms. */
export function warmUpDay(since: number, now: number): number {
  return dayNumber(now) - dayNumber(since) + 1
}
