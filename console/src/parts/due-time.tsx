import { useNow } from './now.ts'
import { Time } from './time.tsx'

/** The time of a next step, relative to now; `due` once it is past. */
export function DueTime({ at }: { at: string }) {
  const now = useNow()
  return Date.parse(at) <= now ? <time dateTime={at}>due</time> : <Time at={at} />
}
