/** A recipient who wants no more mail, and says so by a link of his own: the link is what proves that he may. */
import { randomUUIDv7 } from 'node:crypto'
import type { UnsubscribeLink } from '../email/unsubscribe-link.ts'
import type { Store } from '../store/store.ts'

/** Of an unsubscription by a link: however often it is used, one event tells of it. */
const REPORT = 'unsubscribe link'

/** Done again it changes nothing. Of an email that is there no more, its tags are not known: then from all mail. */
export async function unsubscribe(
  store: Pick<Store, 'addSuppressions' | 'happened' | 'summaries'>,
  link: UnsubscribeLink,
  now: number,
): Promise<void> {
  const { emailId, position, companyId, domainId, address, tagsOnly } = link
  const tags = tagsOnly ? await tagsOf(store, emailId) : []
  await store.addSuppressions([
    {
      ...{ id: randomUUIDv7(), companyId, address, type: 'unsubscribe', code: null, createdAt: now },
      ...{ reason: 'the recipient unsubscribed', tags: tags.length === 0 ? null : tags, emailId, domainId },
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
