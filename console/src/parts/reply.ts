/** What a server answered, with its codes once. Pure. */

interface Answer {
  code?: number | null | undefined
  enhancedCode?: string | null | undefined
  message?: string | null | undefined
}

/** A sentence about a session, or of who only rehearses, has the codes in its midst. */
export function replyText({ code, enhancedCode, message }: Answer): string {
  const text = message ?? ''
  const has = (word: string) => text.split(/[\s:;,()[\]-]+/).includes(word)
  const codes = code == null || has(String(code)) ? [] : [String(code), enhancedCode ?? '']
  return [...codes.filter((word) => word !== '' && !has(word)), text].join(' ').trim()
}
