/**
 * Searches under names, kept by the browser for each company. A view is nothing but an address, which can be sent to
 * others as well, so the service stores none.
 */
import { useSyncExternalStore } from 'react'
import { BrowserRecords } from '../../parts/browser-records.ts'
import { type EmailsSearch, readSearch } from './search.ts'

export interface SavedView {
  name: string
  search: EmailsSearch
}

const MAX = 50

const records = new BrowserRecords<readonly SavedView[]>('postroad-views:', (text) => {
  try {
    const views = JSON.parse(text ?? '[]') as SavedView[]
    return views.map(({ name, search }) => ({ name: String(name), search: readSearch({ ...search }) }))
  } catch {
    return []
  }
})

function keep(company: string, views: readonly SavedView[]): void {
  records.keep(company, views.length === 0 ? null : JSON.stringify(views))
}

/** Sorted by name. */
export function useSavedViews(company: string): readonly SavedView[] {
  return useSyncExternalStore(records.subscribe, () => records.read(company))
}

/** Replaces a view of the same name. Returns false if there are too many. */
export function saveView(company: string, view: SavedView): boolean {
  const others = records.read(company).filter(({ name }) => name !== view.name)
  if (others.length >= MAX) return false
  keep(
    company,
    [...others, view].sort((a, b) => a.name.localeCompare(b.name)),
  )
  return true
}

export function removeView(company: string, wanted: string): void {
  keep(
    company,
    records.read(company).filter(({ name }) => name !== wanted),
  )
}
