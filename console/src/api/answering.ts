/** Whether the service answers, and with this build of the page: asked after a part of the page failed to load. */
import { useSyncExternalStore } from 'react'

/** `other`: after an upgrade the service has other files than this page asks for. */
export type BuildMatch = 'same' | 'other'

/** Milliseconds between two questions. */
const PAUSE = 1_000

let asking: Promise<BuildMatch> | null = null
/** People wait for a part while the service does not answer. */
let waiting = 0
const watchers = new Set<() => void>()

function wait(more: 1 | -1): void {
  waiting += more
  for (const tell of watchers) tell()
}

/** Whether the content of the page could not be read, more than once. */
let readsFail = false

export function setReadsFail(fail: boolean): void {
  if (fail === readsFail) return
  readsFail = fail
  wait(fail ? 1 : -1)
}

/** Resolves when the service answers. `needed`: resolves when a person waits for the part, and is then shown that the service does not answer. */
export async function whenAnswering(needed: Promise<void>): Promise<BuildMatch> {
  const build = await ask()
  if (build !== null) return build
  let isTold = false
  let isOver = false
  void needed.then(() => {
    if (isOver) return
    isTold = true
    wait(1)
  })
  // One question at a time, however many parts are missing.
  asking ??= askUntilAnswered().finally(() => {
    asking = null
  })
  try {
    return await asking
  } finally {
    isOver = true
    if (isTold) wait(-1)
  }
}

/** True while somebody waits for a service that does not answer. */
export function useUnanswered(): boolean {
  return useSyncExternalStore(
    (tell) => {
      watchers.add(tell)
      return () => watchers.delete(tell)
    },
    () => waiting > 0,
  )
}

async function askUntilAnswered(): Promise<BuildMatch> {
  for (;;) {
    await new Promise((resolve) => window.setTimeout(resolve, PAUSE))
    const build = await ask()
    if (build !== null) return build
  }
}

/** Null: there is no answer, or that of a proxy whose service is away. */
async function ask(): Promise<BuildMatch | null> {
  try {
    const response = await fetch(import.meta.env.BASE_URL, {
      cache: 'no-store',
      headers: { accept: 'text/html' },
    })
    if (!response.ok) return null
    const script = document.querySelector('script[type="module"][src]')?.getAttribute('src')
    return script == null || (await response.text()).includes(script) ? 'same' : 'other'
  } catch {
    return null
  }
}
