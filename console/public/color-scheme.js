// Sets the color scheme before the first paint, so that the other one does not flash.
try {
  const chosen = localStorage.getItem('postroad-color-scheme')
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
} catch {
  // The browser may deny access to storage.
}
