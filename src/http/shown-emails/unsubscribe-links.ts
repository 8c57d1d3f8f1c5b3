/** Links by which the recipient unsubscribes: whoever else sees the email must not have them. */
import { UNSUBSCRIBE_PATH } from '../../email/unsubscribe-link.ts'

/** The path and a token of ours. Each character is looked at once. */
const LINK = new RegExp(`(${UNSUBSCRIBE_PATH})[\\w-]{40,}`, 'g')

/** Their tokens are left out, so that they lead nowhere. */
export function withoutUnsubscribeLinks(text: string): string {
  return text.replace(LINK, '$1...')
}
