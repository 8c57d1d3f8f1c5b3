// Before the first paint: whoever has chosen dark or light does not see the other one flash.
try {
  const chosen = localStorage.getItem('postroad-color-scheme')
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
} catch {
  // Storage may be switched off.
}
