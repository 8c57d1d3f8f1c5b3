/**
 * Parts of the page that are loaded when they are needed, and otherwise when the browser is idle. A part that cannot be
 * loaded loses nothing of the page: it waits for the service. After an upgrade the service no longer has the part, and
 * the page is loaded again.
 */

import { type ComponentType, createElement, lazy } from 'react'
import { whenServiceAnswers } from '../api/answering.ts'
import { sleep } from '../api/sleep.ts'
import { ErrorAlert } from './error-alert.tsx'

type Importer<Module> = () => Promise<Module>

/** Failures while the service answers, after which a part counts as broken. */
const MAX_FAILURES = 3
/** Milliseconds between the first failure and the second try. */
const PAUSE = 500
const LOADED_AGAIN = 'postroad-loaded-again'
/** Milliseconds in which the page is loaded again only once, so that a missing file causes no endless reload. */
const ONCE_IN = 60_000
/** Milliseconds between the first view and the loading of the other parts. */
export const IDLE_AFTER = 3_000

const importers: Importer<unknown>[] = []
const atOnce = () => Promise.resolve()
const never = new Promise<never>(() => {})

/** A component of a module that is loaded when the component is shown first. A broken one says so in its place. */
export function later<Name extends string, Props extends object>(
  importer: Importer<Record<Name, ComponentType<Props>>>,
  name: Name,
) {
  const load = loaded(importer, atOnce)
  return lazy(async (): Promise<{ default: ComponentType<Props> }> => {
    try {
      return { default: (await load())[name] }
    } catch (error) {
      const reset = () => window.location.reload()
      return { default: () => createElement(ErrorAlert, { error, reset }) }
    }
  })
}

/** The same import, which waits for the service. `needed`: resolves when somebody waits for the part. */
export function loaded<Module>(importer: Importer<Module>, needed: () => Promise<void>): Importer<Module> {
  importers.push(importer)
  return async () => {
    for (let failures = 1; ; failures++) {
      try {
        return await importer()
      } catch (error) {
        const waits = needed()
        if ((await whenServiceAnswers(waits)) === 'other') await loadPageAgain(waits, error)
        if (failures === MAX_FAILURES) throw broken(error)
        // Under load the service answers, and still refuses some requests.
        await sleep(PAUSE * 4 ** (failures - 1))
        await loadStylesAgain()
      }
    }
  }
}

/** In the router's eyes not a missing module, for which it would load the page again by itself. */
function broken(cause: unknown): Error {
  return new Error('A part of this page could not be loaded.', { cause })
}

/** Only when somebody waits for the part: until then, text that was typed into the page is worth more. */
async function loadPageAgain(waits: Promise<void>, error: unknown): Promise<never> {
  await waits
  const before = Number(sessionStorage.getItem(LOADED_AGAIN) ?? 0)
  if (Date.now() - before < ONCE_IN) throw broken(error)
  sessionStorage.setItem(LOADED_AGAIN, String(Date.now()))
  window.location.reload()
  return await never
}

/** The bundler asks for each style sheet once, even if it could not be loaded. */
async function loadStylesAgain(): Promise<void> {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')]
  const missing = links.filter(({ sheet }) => sheet === null)
  await Promise.all(
    missing.map((link) => {
      const again = link.cloneNode() as HTMLLinkElement
      const done = new Promise((resolve) => {
        again.onload = resolve
        again.onerror = resolve
      })
      link.replaceWith(again)
      return done
    }),
  )
}

/** Loads all other parts, one after the other, so that they are there when the service is not. */
export function loadWhenIdle(): void {
  if (savesData()) return
  window.setTimeout(() => void loadNext(0), IDLE_AFTER)
}

/** A module that is loaded may add parts of its own to the list. */
async function loadNext(index: number): Promise<void> {
  const importer = importers[index]
  if (importer === undefined) return
  await new Promise<void>((resolve) => {
    if ('requestIdleCallback' in window) window.requestIdleCallback(() => resolve())
    else setTimeout(resolve)
  })
  try {
    await importer()
  } catch {
    // Loaded when it is needed. The service may be away, and so the others would fail as well.
    if ((await whenServiceAnswers(never)) === 'other') return
    await loadStylesAgain()
  }
  await loadNext(index + 1)
}

/** The browser was told to load no more than necessary. */
function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true
}
