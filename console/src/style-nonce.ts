/** The nonce with which the page's Content-Security-Policy admits styles that are created at run time. */
import { setNonce } from 'get-nonce'

export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name=style-nonce]')?.content ?? ''

// For the library that stops the page from scrolling beneath a dialog.
setNonce(styleNonce)
