/**
 * The end of a dialog. The library's dialogs return the focus only when they were closed before, and only to an element
 * that is still on the page: not a dialog that is open from the start, or that was opened from another one.
 */
import { useEffect } from 'react'
import { focusHeading } from './page-heading.ts'

/** The element that had the focus last, outside dialogs and menus. */
let outside: Element | null = null

function remember(element: EventTarget | null): void {
  if (!(element instanceof Element) || element === document.body) return
  if (element.closest('[role="dialog"], [role="menu"]') === null) outside = element
}

remember(document.activeElement)
document.addEventListener('focusin', ({ target }) => remember(target))

/** Part of the content of a dialog. */
export function FocusReturn() {
  // After the page has removed the dialog, and another one has perhaps taken the focus.
  useEffect(() => () => void setTimeout(returnFocus), [])
  return null
}

function returnFocus(): void {
  const { activeElement } = document
  if (activeElement !== null && activeElement !== document.body) return
  if (outside instanceof HTMLElement && outside.isConnected) outside.focus({ preventScroll: true })
  // The element is gone or cannot have the focus any more, such as the row that the dialog has deleted.
  if (document.activeElement === document.body) focusHeading()
}
