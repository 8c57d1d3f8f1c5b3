/** Rows become higher when an email opens beside the list. The row that the person looks at stays where it is. */
import { useLayoutEffect, useRef, useState } from 'react'

/**
 * `height`: pixels. `anchor`: the index of the row that stays in its place on the screen. `onPlaced`: called when it is
 * there. Rows that were out of sight meanwhile are new, and have lost the focus.
 */
export function useRowHeight(
  height: number,
  virtual: { measure: () => void },
  anchor: () => number,
  onPlaced: () => void,
): void {
  const before = useRef(height)
  // Read before the list becomes shorter, by which the browser may scroll.
  const scrolled = height === before.current ? 0 : window.scrollY
  const [place, setPlace] = useState<{ top: number } | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are measured again only for another height
  useLayoutEffect(() => {
    const grown = height - before.current
    before.current = height
    if (grown === 0) return
    virtual.measure()
    setPlace({ top: scrolled + anchor() * grown })
  }, [height])
  // The list has its new length by now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it scrolls once
  useLayoutEffect(() => {
    if (place === null) return
    window.scrollTo({ ...place, behavior: 'instant' })
    onPlaced()
  }, [place])
}
