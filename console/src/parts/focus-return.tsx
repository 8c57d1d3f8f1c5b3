/**
 * The focus after something that had it is gone: at the end of a dialog, and of an action, whose button cannot have the
 * focus meanwhile and is often replaced by another one. The library's dialogs return the focus only when they were closed before, and only to an element
 * that is still on the page: not a dialog that is open from the start, or that was opened from another one.
 */
import { useEffect } from 'react'
import { focusHeading } from './page-heading.ts'

/** The element that had the focus last, outside dialogs and menus, and the row of a table that it is in. */
let outside: Element | null = null
let row: Element | null = null

function remember(element: EventTarget | null): void {
  if (!(element instanceof Element) || element === document.body) return
  if (element.closest('[role="dialog"], [role="menu"]') !== null) return
  outside = element
  row = element.closest('tr')
}

remember(document.activeElement)
document.addEventListener('focusin', ({ target }) => remember(target))

/** Part of the content of a dialog. */
export function FocusReturn() {
  // After the page has removed the dialog, and another one has perhaps taken the focus.
  useEffect(() => () => void setTimeout(returnFocus), [])
  return null
}

/** For the button of an action. */
export function useFocusReturn(isActing: boolean): void {
  useEffect(() => (isActing ? () => void setTimeout(returnFocus) : undefined), [isActing])
  useEffect(() => () => void setTimeout(() => outside?.isConnected === false && returnFocus()), [])
}

function returnFocus(): void {
  const { activeElement } = document
  if (activeElement !== null && activeElement !== document.body) return
  if (outside instanceof HTMLElement && outside.isConnected) outside.focus({ preventScroll: true })
  if (document.activeElement !== document.body) return
  // The element is gone or cannot have the focus any more. Its replacement is in the same row.
  const next = row?.isConnected ? [...row.querySelectorAll('button')].at(-1) : undefined
  if (next !== undefined) next.focus({ preventScroll: true })
  else focusHeading()
}
