import { useNow } from './now.ts'
import { Time } from './time.tsx'

/** Whether the time of a next step is past. */
export function useIsDue(at: string): boolean {
  return Date.parse(at) <= useNow()
}

/** The time of a next step, relative to now; `due` once it is past. */
export function DueTime({ at }: { at: string }) {
  return useIsDue(at) ? <time dateTime={at}>due</time> : <Time at={at} />
}
