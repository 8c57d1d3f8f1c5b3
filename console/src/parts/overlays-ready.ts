/** Dialogs and messages are loaded after the first view: a question that is asked before waits for them. */
let announce = () => {}

export const overlaysReady = new Promise<void>((resolve) => {
  announce = resolve
})

export function announceOverlays(): void {
  announce()
}
