/** Downloads the text as a file. */
export function download(name: string, text: string, type = 'text/csv'): void {
  save(name, new Blob([text], { type: `${type};charset=utf-8` }))
}

/** Downloads a file. */
export function save(name: string, file: Blob): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
