/** Choosing all rows that a list finds, also those that it has not loaded. */
import { useRef, useState } from 'react'
import { notify } from './notify.ts'
import type { RowSelection } from './row-selection.ts'

export interface AllMatching<Row> {
  /** Rows found so far; null: none are looked for. */
  looking: number | null
  choose: () => void
  find: (id: string) => Row | undefined
}

/** `rows`: those of the list; `load`: all that match. */
export function useAllMatching<Row extends { id: string }>(
  rows: readonly Row[],
  chosen: RowSelection,
  load: (onPage: (count: number) => void) => Promise<Row[]>,
): AllMatching<Row> {
  const [looking, setLooking] = useState<number | null>(null)
  /** Selected rows that the list has not loaded. */
  const others = useRef(new Map<string, Row>())
  const choose = async () => {
    setLooking(0)
    try {
      const all = await load(setLooking)
      others.current = new Map(all.map((row) => [row.id, row]))
      chosen.set(others.current.keys())
    } catch (error) {
      void notify({ color: 'red', message: error instanceof Error ? error.message : String(error) })
    } finally {
      setLooking(null)
    }
  }
  const find = (id: string) => rows.find((row) => row.id === id) ?? others.current.get(id)
  return { looking, choose: () => void choose(), find }
}
