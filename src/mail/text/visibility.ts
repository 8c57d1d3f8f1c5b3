/** What a reader of the HTML would see: the inline styles that hide things in mail. */

export interface Visibility {
  /** Taken out with everything inside; nothing inside can come back. */
  hidden: boolean
  /** `visibility: hidden`; an element inside may be visible again. */
  invisible: boolean
  /** `font-size: 0`; an element inside may have a size again (mail builders do that on every column). */
  sizeless: boolean
}

export const VISIBLE: Visibility = { hidden: false, invisible: false, sizeless: false }

/**
 * How an element's own style changes what is seen of it, or `outer` itself when it changes nothing.
 *
 * Only inline styles and the `hidden` attribute count; style sheets are not applied, as mail clients often drop them
 * too, and hiding by class is therefore always repeated inline. `mso-hide: all` alone hides nothing: it hides from
 * Outlook what every other client shows, often the very button Outlook gets a drawn one for.
 */
export function visibilityOf(
  outer: Visibility,
  style: string | undefined,
  hiddenAttribute: boolean,
): Visibility {
  if (hiddenAttribute && !outer.hidden) return { ...outer, hidden: true }
  if (style === undefined || outer.hidden) return outer
  let hidden: boolean = outer.hidden
  let { invisible, sizeless } = outer
  for (const declaration of style.toLowerCase().split(';')) {
    const colon = declaration.indexOf(':')
    if (colon < 0) continue
    const property = declaration.slice(0, colon).trim()
    const value = declaration
      .slice(colon + 1)
      .replace('!important', '')
      .trim()
    if (property === 'display') hidden = value === 'none'
    else if (property === 'max-height' || property === 'opacity') hidden ||= isZero(value)
    else if (property === 'visibility') invisible = value === 'hidden' || value === 'collapse'
    else if (property === 'font-size') sizeless = isZero(value)
  }
  if (hidden === outer.hidden && invisible === outer.invisible && sizeless === outer.sizeless) return outer
  return { hidden, invisible, sizeless }
}

export const isSeen = (visibility: Visibility) =>
  !visibility.hidden && !visibility.invisible && !visibility.sizeless

/** `0`, `0px`, `0.0em`, `0%`. */
function isZero(value: string): boolean {
  return Number.parseFloat(value) === 0
}
