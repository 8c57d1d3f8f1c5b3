/**
 * A service that was brought up to date has other files: a page that is open asks for parts of the old one. It is
 * loaded again then, at the address where it was; but not again and again where that does not help.
 */
const LOADED = 'postroad-loaded-again'
/** Ms. */
const ONCE_IN = 60_000

window.addEventListener('vite:preloadError', (event) => {
  const before = Number(sessionStorage.getItem(LOADED) ?? 0)
  if (Date.now() - before < ONCE_IN) return
  sessionStorage.setItem(LOADED, String(Date.now()))
  event.preventDefault()
  window.location.reload()
})
