import { useSyncExternalStore } from 'react'

/** One clock for all times on the page. It stands still while the page is hidden. */
let now = Date.now()
const listeners = new Set<() => void>()
let timer: number | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= window.setInterval(() => {
    if (document.hidden) return
    now = Date.now()
    for (const tell of listeners) tell()
  }, 5_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    window.clearInterval(timer)
    timer = undefined
  }
}

/** Unix milliseconds, updated every 5 seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}
