import { useEffect, useState } from 'react'

/** Milliseconds for which the page confirms that the text was copied. */
const SAID_FOR = 2_000

/** `copied`: the text was copied within the last two seconds. */
export function useCopy(text: string): { copied: boolean; copy: () => void } {
  const [copiedAt, setCopiedAt] = useState(0)
  useEffect(() => {
    if (copiedAt === 0) return
    const timer = window.setTimeout(() => setCopiedAt(0), SAID_FOR)
    return () => window.clearTimeout(timer)
  }, [copiedAt])
  const copy = () => {
    void write(text).then((done) => done && setCopiedAt(Date.now()))
  }
  return { copied: copiedAt !== 0, copy }
}

/** Browsers offer `navigator.clipboard` over HTTPS and on localhost only. */
async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return writeBySelection(text)
  }
}

function writeBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.readOnly = true
  area.style.position = 'fixed'
  area.style.opacity = '0'
  // The text area goes next to the focused element, since a dialog keeps the focus within itself.
  const { activeElement } = document
  const place = activeElement?.parentElement ?? document.body
  place.append(area)
  area.select()
  try {
    return document.execCommand('copy')
  } finally {
    area.remove()
    if (activeElement instanceof HTMLElement) activeElement.focus()
  }
}
