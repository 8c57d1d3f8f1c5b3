/** The selected row. It stays selected while the person views the email and then returns to the list. */
import { useCallback, useEffect, useRef, useState } from 'react'
import type { EmailListItem } from './merge.ts'

/** The selected email of each list, until the page is closed. */
const kept = new Map<string, string>()

export function rowOf(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-email="${CSS.escape(id)}"]`)
}

export function useSelectedRow(
  list: string,
  emails: readonly EmailListItem[],
  scrollTo: (index: number) => void,
) {
  const [selected, setSelected] = useState<string | null>(() => kept.get(list) ?? null)
  /** The email to focus as soon as its row is rendered: only rows in sight are. */
  const wanted = useRef<string | null>(null)
  const isAgain = useRef(false)

  const select = useCallback(
    (id: string) => {
      kept.set(list, id)
      setSelected(id)
    },
    [list],
  )

  useEffect(() => {
    const id = wanted.current
    if (id === null) return
    const row = rowOf(id)
    if (row === null) return
    wanted.current = null
    // Meanwhile the person may have gone on to another part of the page.
    if (isAgain.current && document.activeElement !== document.body) return
    row.focus({ preventScroll: true })
  })

  const move = (step: 1 | -1) => {
    if (emails.length === 0) return null
    const at = emails.findIndex(({ id }) => id === selected)
    const index = at < 0 ? 0 : Math.min(emails.length - 1, Math.max(0, at + step))
    const { id } = emails[index]!
    wanted.current = id
    isAgain.current = false
    scrollTo(index)
    select(id)
    return id
  }

  /** Gives the focus back to the selected row if it was lost. */
  const focusAgain = () => {
    wanted.current = selected
    isAgain.current = true
  }

  return { selected, select, move, focusAgain }
}
