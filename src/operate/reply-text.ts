/**
 * Formats a server's reply so that its codes appear once: a text of our own has none. The page of the console uses this
 * module, too, so it must stay free of side effects.
 */
import { isNotAttempted } from '../email/not-attempted.ts'

interface ReplyFields {
  code?: number | null | undefined
  enhancedCode?: string | null | undefined
  message?: string | null | undefined
}

/** Whether the text says itself which server it is from. `server`: its name, perhaps with its address. */
export function namesServer(text: string | null | undefined, server: string | null | undefined): boolean {
  const [host = ''] = (server ?? '').split(' ')
  return host !== '' && (text ?? '').toLowerCase().includes(host.toLowerCase())
}

/** Some replies, such as errors of a session or of capture mode, already contain the codes within their text. */
export function replyText({ code, enhancedCode, message }: ReplyFields): string {
  const text = message ?? ''
  if (isNotAttempted(message)) return text
  const has = (word: string) => text.split(/[\s:;,()[\]-]+/).includes(word)
  const codes = code == null || has(String(code)) ? [] : [String(code), enhancedCode ?? '']
  return [...codes.filter((word) => word !== '' && !has(word)), text].join(' ').trim()
}
