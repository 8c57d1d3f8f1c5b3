/** What the page's policy lets styles in by that are made while it runs. */
import { setNonce } from 'get-nonce'

export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name=style-nonce]')?.content ?? ''

// For what keeps the page from scrolling beneath a dialog.
setNonce(styleNonce)
