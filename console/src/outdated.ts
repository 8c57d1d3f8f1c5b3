/**
 * After an upgrade the server has other files, and a page that is still open asks for chunks that no longer
 * exist. This reloads the page at its current address, at most once a minute, so that a chunk that is really
 * missing causes no endless reload.
 */
const LOADED = 'postroad-loaded-again'
/** Milliseconds. */
const ONCE_IN = 60_000

window.addEventListener('vite:preloadError', (event) => {
  const before = Number(sessionStorage.getItem(LOADED) ?? 0)
  if (Date.now() - before < ONCE_IN) return
  sessionStorage.setItem(LOADED, String(Date.now()))
  event.preventDefault()
  window.location.reload()
})
