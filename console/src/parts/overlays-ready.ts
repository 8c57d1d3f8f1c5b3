/** Dialogs and notifications are loaded after the first view; an earlier question waits for this promise. */
let announce = () => {}

export const overlaysReady = new Promise<void>((resolve) => {
  announce = resolve
})

export function announceOverlays(): void {
  announce()
}
