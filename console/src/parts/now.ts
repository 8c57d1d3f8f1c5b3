import { useSyncExternalStore } from 'react'

/** Less than the five seconds that `describeTime` calls now: what has just happened is never in the future. */
const STEP = 4_000

/** One clock for all times on the page. It stands still while the page is hidden or shows no time. */
let now = Date.now()
const listeners = new Set<() => void>()
let timer: number | undefined

function tick(): void {
  if (document.hidden) return
  now = Date.now()
  for (const tell of listeners) tell()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) {
    now = Date.now()
    timer = window.setInterval(tick, STEP)
    document.addEventListener('visibilitychange', tick)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    window.clearInterval(timer)
    timer = undefined
    document.removeEventListener('visibilitychange', tick)
  }
}

/** Rendered before it subscribes, the first time on a page must not show when the clock stopped. */
function current(): number {
  if (timer === undefined && Date.now() - now >= STEP) now = Date.now()
  return now
}

/** Unix milliseconds, updated every 4 seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, current)
}
