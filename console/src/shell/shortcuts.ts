/**
 * Keyboard shortcuts. Each part of the page registers its own while it is shown, and `?` lists them all. A
 * person can switch them off: speech input types letters that the person did not mean (WCAG 2.2, 2.1.4).
 */
import { useEffect, useRef, useSyncExternalStore } from 'react'

interface Shortcut {
  /** One key, or two keys pressed one after the other, as `KeyboardEvent.key` names them: `j`, `/`, `g e`. */
  keys: string
  /** An imperative that describes the action: `Next email`. */
  does: string
  run: () => void
}

const OFF = 'postroad-shortcuts-off'
/** Milliseconds within which the second key of a sequence has to follow. */
const SECOND_WITHIN = 1_200

const listeners = new Set<() => void>()
/** The shortcuts of the part that was shown last come first. */
let groups: { current: readonly Shortcut[] }[] = []
let known: readonly Shortcut[] = []
let first: { key: string; at: number } | null = null

function changed(): void {
  known = groups.flatMap(({ current }) => current)
  for (const tell of listeners) tell()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Registers the shortcuts while the calling component is mounted. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const group = useRef(shortcuts)
  useEffect(() => {
    group.current = shortcuts
  })
  useEffect(() => {
    groups = [group, ...groups]
    changed()
    return () => {
      groups = groups.filter((other) => other !== group)
      changed()
    }
  }, [])
}

/** All shortcuts that are registered now. */
export function useKnownShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(subscribe, () => known)
}

export function useShortcutsOn(): [on: boolean, set: (on: boolean) => void] {
  const on = useSyncExternalStore(subscribe, areOn)
  const set = (wanted: boolean) => {
    if (wanted) localStorage.removeItem(OFF)
    else localStorage.setItem(OFF, '1')
    changed()
  }
  return [on, set]
}

function areOn(): boolean {
  return localStorage.getItem(OFF) === null
}

/** Whether the key belongs to a text field, or to a dialog or menu above the page. */
function isElsewhere(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return (
    target.isContentEditable ||
    target.closest(
      'input:not([type=checkbox]), textarea, select, [role=dialog], [role=menu], [role=listbox]',
    ) !== null
  )
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return
  if (!areOn() || isElsewhere(event.target)) return
  const { key } = event
  const began = first !== null && Date.now() - first.at < SECOND_WITHIN ? `${first.key} ${key}` : null
  first = null
  const all = groups.flatMap(({ current }) => current)
  const found = all.find(({ keys }) => keys === began) ?? all.find(({ keys }) => keys === key)
  if (found !== undefined) {
    event.preventDefault()
    found.run()
    return
  }
  if (all.some(({ keys }) => keys.startsWith(`${key} `))) first = { key, at: Date.now() }
}

document.addEventListener('keydown', onKey)
