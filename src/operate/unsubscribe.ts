/** Unsubscribing by the link in an email. The link itself proves that its user may unsubscribe the recipient. */
import { randomUUIDv7 } from 'node:crypto'
import type { UnsubscribeLink } from '../email/unsubscribe-link.ts'
import type { Store } from '../store/store.ts'

export type UnsubscribeStore = Pick<Store, 'addSuppressions' | 'happened' | 'successorOf' | 'summaries'>

/** The report id of every unsubscription by link: however often the link is used, one event records it. */
const REPORT = 'unsubscribe link'

/** Idempotent. If the email no longer exists, its tags are unknown, and the recipient is unsubscribed from all mail. */
export async function unsubscribe(
  store: UnsubscribeStore,
  link: UnsubscribeLink,
  now: number,
): Promise<void> {
  const { emailId, position, companyId, domainId, address, tagsOnly } = link
  const tags = tagsOnly ? await tagsOf(store, emailId) : []
  await store.addSuppressions([
    {
      id: randomUUIDv7(),
      companyId,
      address,
      type: 'unsubscribe',
      code: null,
      createdAt: now,
      reason: 'the recipient unsubscribed',
      tags: tags.length === 0 ? null : tags,
      emailId,
      // The company may have removed the domain and added it again since the email.
      domainId: await store.successorOf(domainId),
    },
  ])
  const detail = { reportId: REPORT }
  await store.happened([
    { emailId, position, happening: { kind: 'unsubscribed', at: now, detail, listed: true } },
  ])
}

async function tagsOf(store: Pick<Store, 'summaries'>, emailId: string): Promise<string[]> {
  const [email] = await store.summaries([emailId], 1)
  return email?.tags.map(({ name, value }) => (name === 'tag' ? value : `${name}:${value}`)) ?? []
}
