/** An email as a row of the page's lists. Long texts of the sender are clipped. */
import type { Static } from 'typebox'
import type { AccountDirectory } from '../../../accounts/directory.ts'
import { clip } from '../../../common/clip.ts'
import type { FindClosure } from '../../../operate/closures.ts'
import { countedStatuses, recipientsOf } from '../../../operate/listed-status.ts'
import { mostAttemptsOf } from '../../../operate/next-step.ts'
import type { EmailSummary, RecipientCounts } from '../../../store/store.ts'
import type { HttpDeps } from '../../deps.ts'
import type { EMAIL_ROW, UNCLIPPED } from '../contract/emails.ts'

export type EmailRowJson = Static<typeof EMAIL_ROW>

/** The most characters of a subject or address, the most characters of a tag, and the most tags of one email. */
const LONGEST = 300
const LONGEST_TAG = 60
const MAX_TAGS = 6

interface RowCircumstances {
  directory: Pick<AccountDirectory, 'domain'>
  closed: FindClosure
  mostAttempts: number
  now: number
}

interface ListedEmail {
  email: EmailSummary
  /** Null when the recipients' states are unknown. */
  counts: RecipientCounts | null
}

/** `closedFor`: the closures that keep an email waiting, as lists know them. `now`: Unix ms. */
export function emailRows(
  { accounts: { directory }, settings }: Pick<HttpDeps, 'accounts' | 'settings'>,
  listed: readonly ListedEmail[],
  closedFor: (email: EmailSummary) => FindClosure,
  now: number,
): EmailRowJson[] {
  const mostAttempts = mostAttemptsOf(settings)
  return listed.map(({ email, counts }) =>
    emailRow(email, counts, { directory, closed: closedFor(email), mostAttempts, now }),
  )
}

function emailRow(
  email: EmailSummary,
  counts: RecipientCounts | null,
  { directory, closed, mostAttempts, now }: RowCircumstances,
): EmailRowJson {
  const { id, companyId, domainId, from, subject, tags, createdAt, scheduledAt, lastEvent } = email
  const domain = directory.domain(domainId)
  return {
    id,
    company: companyId,
    domain: domain?.name ?? domainId,
    from: clip(from, LONGEST),
    to: clip(firstAddress(email), LONGEST),
    subject: clip(subject, LONGEST),
    tags: tags.slice(0, MAX_TAGS).map((tag) => clip(tagText(tag), LONGEST_TAG)),
    tagCount: tags.length,
    createdAt: new Date(createdAt).toISOString(),
    scheduledAt: scheduledAt === null ? null : new Date(scheduledAt).toISOString(),
    lastEvent,
    recipients: recipientsOf(email, counts),
    states: countedStatuses(email, counts, { domain, closed, mostAttempts, now }),
  }
}

/** The texts that a row clips. */
export function unclippedEmail(email: EmailSummary): Static<typeof UNCLIPPED>['emails'][number] {
  const { id, from, subject, tags } = email
  return { id, from, to: firstAddress(email), subject, tags: tags.map(tagText) }
}

function firstAddress({ to, cc, bcc }: EmailSummary): string {
  return to[0] ?? cc[0] ?? bcc[0] ?? ''
}

/** In the form dialect each tag is a value of the name `tag`. */
function tagText({ name, value }: { name: string; value: string }): string {
  if (name === 'tag') return value
  return value === '' ? name : `${name}:${value}`
}
