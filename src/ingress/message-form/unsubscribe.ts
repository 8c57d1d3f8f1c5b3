/** `%unsubscribe_url%` and `%tag_unsubscribe_url%`: placeholders for links of this service, one for each recipient. */
import { UNSUBSCRIBE_KEYS } from '../../email/unsubscribe-link.ts'
import type { Submission } from '../../intake/submission.ts'
import { AddressError, parseAddressList } from '../../mail/address/address.ts'

const PLACES = /%(tag_)?unsubscribe_url%/g

const variable = (key: string) => `%recipient.${key}%`

/**
 * Puts a recipient variable in each such place, and adds the header fields by which mail programs offer the same (RFC
 * 2369, RFC 8058). A message that several recipients share can hold no link of one recipient, so its placeholders stay.
 */
export function withUnsubscribeLinks(submission: Submission): Submission {
  const { html = '', text = '', amp = '', headers } = submission
  const bodies = [html, text, amp].join('\n')
  const places = [...[bodies, ...headers.map(([, value]) => value)].join('\n').matchAll(PLACES)]
  if (places.length === 0) return submission
  if (submission.recipientVariables === undefined) {
    if (!hasOneRecipient(submission)) return submission
    // The recipient gets a separate copy, as in batch sending.
    submission.recipientVariables = {}
  }
  for (const name of ['html', 'text', 'amp'] as const) {
    const body = submission[name]
    if (body !== undefined) submission[name] = withVariables(body)
  }
  submission.headers = headers.map(([name, value]) => [name, withVariables(value)])
  offer(submission, places.every(([, tag]) => tag !== undefined) ? 'tags' : 'all')
  return submission
}

function withVariables(text: string): string {
  return text.replace(PLACES, (_, tag?: string) =>
    variable(UNSUBSCRIBE_KEYS[tag === undefined ? 'all' : 'tags']),
  )
}

/** Header fields set by the sender stay. */
function offer({ headers }: Submission, kind: keyof typeof UNSUBSCRIBE_KEYS): void {
  const headerOf = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
  const named = headerOf('list-unsubscribe')
  if (named === undefined) headers.push(['List-Unsubscribe', `<${variable(UNSUBSCRIBE_KEYS[kind])}>`])
  const ours =
    named === undefined || Object.values(UNSUBSCRIBE_KEYS).some((key) => named.includes(variable(key)))
  if (ours && headerOf('list-unsubscribe-post') === undefined) {
    headers.push(['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'])
  }
}

/** False for an invalid address, which intake refuses. */
function hasOneRecipient({ to, cc, bcc }: Submission): boolean {
  if (cc.length > 0 || bcc.length > 0) return false
  try {
    return to.flatMap((each) => parseAddressList(each)).length === 1
  } catch (error) {
    if (error instanceof AddressError) return false
    throw error
  }
}
