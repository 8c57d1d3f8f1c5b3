/** A long run, such as an import, which continues while the person views other pages of the console. */
import { useSyncExternalStore } from 'react'

export class LongRun<Run> {
  #value: Run | null = null
  readonly #listeners = new Set<() => void>()

  /** Null: there is none. */
  get value(): Run | null {
    return this.#value
  }

  set(value: Run | null): void {
    this.#value = value
    for (const tell of this.#listeners) tell()
  }

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** The run as it is now. */
export function useLongRun<Run>(run: LongRun<Run>): Run | null {
  return useSyncExternalStore(run.subscribe, () => run.value)
}

/** While it works, the browser asks before it closes the page. */
export async function keepingOpen(work: () => Promise<void>): Promise<void> {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault()
  window.addEventListener('beforeunload', ask)
  try {
    await work()
  } finally {
    window.removeEventListener('beforeunload', ask)
  }
}
