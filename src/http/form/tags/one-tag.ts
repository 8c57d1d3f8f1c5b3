/** The work of the routes of one tag, which the path or the query names. */

import type { Principal } from '../../../accounts/account.ts'
import { describeTag, type OneTag, removeTag } from '../../../operate/tags.ts'
import type { SeenTag } from '../../../store/store.ts'
import type { HttpCore } from '../../core.ts'
import { currentOperation } from '../../operation.ts'
import { ownDomain } from '../own-domain.ts'
import { TEXT } from '../schemas.ts'
import { type StatsQuery, statsOf } from '../stats/routes.ts'
import { findTag } from './tag-times.ts'

export const TAG = {
  type: 'object',
  properties: { tag: TEXT, description: TEXT, 'first-seen': TEXT, 'last-seen': TEXT },
} as const

export function tagJson({ tag, description, first, last }: SeenTag) {
  return {
    tag,
    description,
    'first-seen': new Date(first).toISOString(),
    'last-seen': new Date(last).toISOString(),
  }
}

/** Rejects with a Refusal or a Fault when there is no such domain or tag. */
export async function requireTag(core: HttpCore, caller: Principal, { domain: name, tag }: OneTag) {
  const domain = await ownDomain(core, caller, name)
  return { domain, found: await findTag(core, caller, domain, tag) }
}

export async function describe(core: HttpCore, caller: Principal, one: OneTag, description: string) {
  const { domain, found } = await requireTag(core, caller, one)
  const op = await currentOperation(core, caller)
  await describeTag(op, { domain: domain.id, tag: found.tag, description })
  return { message: 'Tag updated' }
}

export async function remove(core: HttpCore, caller: Principal, one: OneTag) {
  const { domain, found } = await requireTag(core, caller, one)
  const op = await currentOperation(core, caller)
  await removeTag(op, { domain: domain.id, tag: found.tag })
  return { message: 'Tag deleted' }
}

export async function countsOfTag(core: HttpCore, caller: Principal, one: OneTag, query: StatsQuery) {
  const { domain, found } = await requireTag(core, caller, one)
  const stats = await statsOf(core, caller, query, { domain, dimension: 'tag', value: found.tag })
  return { tag: found.tag, description: found.description, ...stats }
}
