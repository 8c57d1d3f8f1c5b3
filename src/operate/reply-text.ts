/**
 * Formats a server's reply so that its codes appear once: a text of our own has none. The page of the console uses this
 * module, too, so it must stay free of side effects.
 */
import { isNotAttempted, isOfOthers, troubleIn } from '../email/not-attempted.ts'

interface ReplyFields {
  code?: number | null | undefined
  enhancedCode?: string | null | undefined
  message?: string | null | undefined
}

/** In the words for a trouble: `mx.example.com closed the session: 421 4.7.0 Too many connections`. */
const REPLY = /^(?:[^\n]*?: )?([45]\d\d[ -].*)$/s

/** The reply of a server within the words for a trouble; null: they have none. */
export function replyIn(trouble: string | null): string | null {
  return REPLY.exec(trouble ?? '')?.[1] ?? null
}

/** The last reply to waiting mail: the trouble that other mail has met, if it was not tried because of that. */
export function lastReplyText(message: string | null): string {
  return troubleIn(message ?? '')
}

/** Whether an event only says that mail is held because its path is closed: it waits for the next try of the path. */
export function isHeldForOthers(message: string | undefined): boolean {
  return isOfOthers(message ?? null)
}

/** Whether the text already names the server. `server`: its name, perhaps with its address. */
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
