/** Finds out whether the service answers, and whether it has the build of this page: for when a part of the page failed to load. */

import { useSyncExternalStore } from 'react'
import { sleep } from './sleep.ts'

/** `other`: the service was upgraded, and no longer has the files of this page. */
export type BuildMatch = 'same' | 'other'

/** Milliseconds between two requests. */
const PAUSE = 1_000

let asking: Promise<BuildMatch> | null = null
/** The number of reasons to show that the service does not answer: parts that a person waits for, and reads that fail. */
let waiting = 0
const watchers = new Set<() => void>()

function wait(more: 1 | 0 | -1): void {
  waiting += more
  for (const tell of watchers) tell()
}

/** Whether requests for the content of the page failed repeatedly. */
let readsFail = false

export function setReadsFailing(fail: boolean): void {
  if (fail === readsFail) return
  readsFail = fail
  wait(fail ? 1 : -1)
}

/** The time of the last answer, while the service does not answer what the page reads regularly; otherwise null. */
let lastAnswer: number | null = null

/** Returns whether that is new. */
export function setLastAnswer(at: number | null): boolean {
  if (at === lastAnswer) return false
  lastAnswer = at
  wait(0)
  return true
}

/**
 * Resolves when the service answers. `needed`: resolves when a person waits for the part; from then on the page shows that
 * the service does not answer.
 */
export async function whenServiceAnswers(needed: Promise<void>): Promise<BuildMatch> {
  const build = await ask()
  if (build !== null) return build
  let isShown = false
  let isOver = false
  void needed.then(() => {
    if (isOver) return
    isShown = true
    wait(1)
  })
  // One request at a time, however many parts are missing.
  asking ??= askUntilAnswered().finally(() => {
    asking = null
  })
  try {
    return await asking
  } finally {
    isOver = true
    if (isShown) wait(-1)
  }
}

function watch(tell: () => void): () => void {
  watchers.add(tell)
  return () => watchers.delete(tell)
}

/** True while a person waits for the service and it does not answer. */
export function useIsUnanswered(): boolean {
  return useSyncExternalStore(watch, () => waiting > 0)
}

/** Unix milliseconds; null while the service answers. */
export function useLastAnswer(): number | null {
  return useSyncExternalStore(watch, () => lastAnswer)
}

async function askUntilAnswered(): Promise<BuildMatch> {
  for (;;) {
    await sleep(PAUSE)
    const build = await ask()
    if (build !== null) return build
  }
}

/** Null: there is no answer, or only the error of a proxy in front of the service. */
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
