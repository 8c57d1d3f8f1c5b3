/** The tags that mail of a domain had, or of all domains: what was counted of them, and what is said of them. */
import type { Principal, SendingDomain } from '../../../accounts/account.ts'
import type { HttpCore } from '../../core.ts'
import { Fault } from '../../fault.ts'
import { valuesOf } from '../stats/counts.ts'

export interface SeenTag {
  tag: string
  description: string
  /** Unix ms: the days on which it was seen first and last. */
  first: number
  last: number
}

/** By name; `tag`: that one alone. */
export async function tagsOf(
  core: HttpCore,
  { companyId }: Principal,
  domain: SendingDomain,
  tag: string | null,
): Promise<SeenTag[]> {
  const found = await valuesOf(core, { companyId, domainId: domain.id, dimension: 'tag', value: tag })
  const seen = new Map(
    found.map(({ value, first, last }): [string, SeenTag] => [
      value,
      { tag: value, description: '', first, last },
    ]),
  )
  for (const { tag, description, removedAt } of await core.deps.store.tagNotes(domain.id)) {
    const known = seen.get(tag)
    if (known !== undefined) known.description = description
    if (known !== undefined && removedAt !== null && known.last <= removedAt) seen.delete(tag)
  }
  return byName(seen)
}

/** A tag of several domains, and those of them that list it. */
export interface CommonTag extends SeenTag {
  domains: SendingDomain[]
}

/** Of all domains that the caller may know of. By name; `tag`: that one alone. */
export async function commonTags(
  core: HttpCore,
  caller: Principal,
  tag: string | null,
): Promise<CommonTag[]> {
  const own = core.deps.accounts.directory
    .domains()
    .filter(({ id, companyId }) => companyId === caller.companyId && (caller.domainId ?? id) === id)
  const seen = new Map<string, CommonTag>()
  for (const domain of own) {
    for (const each of await tagsOf(core, caller, domain, tag)) {
      const known = seen.get(each.tag)
      if (known === undefined) {
        seen.set(each.tag, { ...each, domains: [domain] })
        continue
      }
      known.first = Math.min(known.first, each.first)
      known.last = Math.max(known.last, each.last)
      known.description ||= each.description
      known.domains.push(domain)
    }
  }
  return byName(seen)
}

const byName = <Tag extends SeenTag>(seen: Map<string, Tag>): Tag[] =>
  [...seen.values()].sort((a, b) => (a.tag < b.tag ? -1 : 1))

/** Throws a Fault where there is none. */
export function requireFound<Tag extends SeenTag>([found]: readonly Tag[]): Tag {
  if (found !== undefined) return found
  throw new Fault({ code: 'operation_refused', why: 'not_found', detail: 'Tag not found' })
}
