/** The tags seen in the mail of a domain, or of all domains, with their figures and descriptions. */
import type { Principal } from '../../../accounts/account.ts'
import { Fault } from '../../../ingress/fault.ts'
import type { SeenTag, SeenTags, SeenTagsRequest } from '../../../store/store.ts'
import type { HttpCore } from '../../core.ts'
import { tagsOf } from '../../counts.ts'

/** The number of tags is not limited: this is the largest integer that every client can read. */
export const NO_TAG_LIMIT = 2 ** 31 - 1

type TagPage = Pick<SeenTagsRequest, 'limit'> &
  Partial<Omit<SeenTagsRequest, 'companyId' | 'domainIds' | 'looks' | 'tag'>>

const ANY: Omit<SeenTagsRequest, 'companyId' | 'domainIds' | 'looks' | 'limit'> = {
  tag: null,
  prefix: '',
  after: null,
  before: null,
  order: { by: 'tag', falling: false },
  skip: 0,
}

/** A page of the tags of one domain, or of all domains that the caller may see. */
export async function findTags(
  core: HttpCore,
  caller: Principal,
  domain: { id: string } | null,
  page: TagPage,
): Promise<SeenTags> {
  const { companyId } = caller
  return await tagsOf(core, { companyId, domainIds: domainIds(core, caller, domain), ...ANY, ...page })
}

/** One tag. Rejects with a Fault when it does not exist. */
export async function findTag(
  core: HttpCore,
  caller: Principal,
  domain: { id: string } | null,
  tag: string,
): Promise<SeenTag> {
  const of = { companyId: caller.companyId, domainIds: domainIds(core, caller, domain) }
  const { tags } = await tagsOf(core, { ...of, ...ANY, tag, limit: 1 })
  const [found] = tags
  if (found !== undefined) return found
  throw new Fault({ code: 'operation_refused', why: 'not_found', detail: 'Tag not found' })
}

function domainIds(
  core: HttpCore,
  { companyId, domainId }: Principal,
  domain: { id: string } | null,
): string[] {
  if (domain !== null) return [domain.id]
  return core.deps.accounts.directory
    .domains()
    .filter((each) => each.companyId === companyId && (domainId ?? each.id) === each.id)
    .map(({ id }) => id)
}
