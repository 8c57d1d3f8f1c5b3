/** The rows that a person has selected for an action on several of them. */
import { useCallback, useRef, useState } from 'react'

export interface RowSelection {
  ids: ReadonlySet<string>
  /** Selects a row, or undoes that. `isRange`: also all rows since the row that was selected last. */
  toggle: (id: string, isRange: boolean) => void
  set: (ids: Iterable<string>) => void
}

const NONE: ReadonlySet<string> = new Set()

export function useRowSelection(rows: readonly { id: string }[]): RowSelection {
  const [ids, setIds] = useState(NONE)
  const last = useRef<string | null>(null)
  const toggle = (id: string, isRange: boolean) => {
    const from = rows.findIndex((row) => row.id === last.current)
    const to = rows.findIndex((row) => row.id === id)
    last.current = id
    const next = new Set(ids)
    if (isRange && from >= 0 && to >= 0) {
      for (const row of rows.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(row.id)
    } else if (!next.delete(id)) {
      next.add(id)
    }
    setIds(next)
  }
  const set = useCallback((wanted: Iterable<string>) => setIds(new Set(wanted)), [])
  return { ids, toggle, set }
}
