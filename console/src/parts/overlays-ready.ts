/**
 * Dialogs and notifications are loaded when the browser is idle after the first view, or when the first of them is
 * needed.
 */
let want = () => {}
let announce = () => {}

export const overlaysWanted = new Promise<void>((resolve) => {
  want = resolve
})

const ready = new Promise<void>((resolve) => {
  announce = resolve
})

export function announceOverlays(): void {
  announce()
}

export function overlaysReady(): Promise<void> {
  want()
  return ready
}
