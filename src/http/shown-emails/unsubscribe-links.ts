/** Unsubscribe links belong to the recipient: other viewers of the email must not get them. */
import { UNSUBSCRIBE_PATH } from '../../email/unsubscribe-link.ts'

/** The path and a token. The expression examines each character once. */
const LINK = new RegExp(`(${UNSUBSCRIBE_PATH})[\\w-]{40,}`, 'g')

/** Removes the tokens, so that the links have no effect. */
export function withoutUnsubscribeLinks(text: string): string {
  return text.replace(LINK, '$1...')
}
