/** After a change of pages the focus is on the heading of the new one, which is announced, too. */
import { VisuallyHidden } from '@mantine/core'
import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { focusHeading } from '../parts/page-heading.ts'

export function PageFocus() {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const before = useRef(path)
  const [said, say] = useState('')
  useEffect(() => {
    const isFirst = before.current === undefined
    const isSame = before.current === path
    before.current = path
    if (isFirst || isSame) return
    const main = document.getElementById('main')!
    const arrive = () => {
      const heading = main.querySelector('h1')
      if (heading === null) return false
      say(heading.textContent)
      if (!isBusy(main)) focusHeading()
      return true
    }
    if (arrive()) return
    // The page is still loading.
    const observer = new MutationObserver(() => {
      if (arrive()) observer.disconnect()
    })
    observer.observe(main, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [path])
  return <VisuallyHidden aria-live="polite">{said}</VisuallyHidden>
}

/** A field or dialog of the new page has taken the focus. */
function isBusy(main: HTMLElement): boolean {
  const { activeElement } = document
  const isInside = activeElement !== main && main.contains(activeElement)
  return isInside || document.querySelector('[role="dialog"]') !== null
}
