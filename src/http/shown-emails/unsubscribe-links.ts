/** Unsubscribe links belong to the recipient: nobody else who sees the email may have them. */
import { UNSUBSCRIBE_PATH } from '../../email/unsubscribe-link.ts'

/** The path and a token. The expression looks at each character once. */
const LINK = new RegExp(`(${UNSUBSCRIBE_PATH})[\\w-]{40,}`, 'g')

/** Removes the tokens, so that the links lead nowhere. */
export function withoutUnsubscribeLinks(text: string): string {
  return text.replace(LINK, '$1...')
}
