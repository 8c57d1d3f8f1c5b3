/**
 * Searches under names, kept by the browser for each company. A view is nothing but an address, which can be sent to
 * others as well, so the service stores none.
 */
import { useSyncExternalStore } from 'react'
import { type EmailsSearch, readSearch } from './search.ts'

export interface SavedView {
  name: string
  search: EmailsSearch
}

const KEY = 'postroad-views:'
const MOST = 50

const listeners = new Set<() => void>()
let known: { text: string | null; views: readonly SavedView[] } = { text: null, views: [] }

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}

function viewsOf(company: string): readonly SavedView[] {
  const text = localStorage.getItem(KEY + company)
  if (text !== known.text) known = { text, views: parsed(text) }
  return known.views
}

function parsed(text: string | null): SavedView[] {
  try {
    const views = JSON.parse(text ?? '[]') as SavedView[]
    return views.map(({ name, search }) => ({ name: String(name), search: readSearch({ ...search }) }))
  } catch {
    return []
  }
}

function keep(company: string, views: readonly SavedView[]): void {
  if (views.length === 0) localStorage.removeItem(KEY + company)
  else localStorage.setItem(KEY + company, JSON.stringify(views))
  for (const tell of listeners) tell()
}

/** Sorted by name. */
export function useSavedViews(company: string): readonly SavedView[] {
  return useSyncExternalStore(subscribe, () => viewsOf(company))
}

/** Replaces a view of the same name. Returns false if there are too many. */
export function saveView(company: string, view: SavedView): boolean {
  const others = viewsOf(company).filter(({ name }) => name !== view.name)
  if (others.length >= MOST) return false
  keep(
    company,
    [...others, view].sort((a, b) => a.name.localeCompare(b.name)),
  )
  return true
}

export function removeView(company: string, wanted: string): void {
  keep(
    company,
    viewsOf(company).filter(({ name }) => name !== wanted),
  )
}
