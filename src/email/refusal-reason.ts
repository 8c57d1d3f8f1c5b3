/**
 * The value under which refusals, delays and failures are counted: their category, and the provider whose server
 * answered. There are few categories and providers, so even a long time has few counts.
 */
import type { BounceCategory } from '../mail/reply/category.ts'
import { type BounceKind, bounceKind } from './bounce-kind.ts'
import { classificationOf } from './classification.ts'
import type { EventDetail, EventType } from './event.ts'
import { providerOf } from './mail-provider.ts'

export interface RefusalReason {
  category: BounceCategory
  /** The name of the provider; '': none of the large ones. */
  provider: string
}

/** `detail`: JSON. `reason`: the value that `reasonOf` reads. */
export function countedRefusal(type: string, detail: string): { reason: string; kind: BounceKind } {
  const read = JSON.parse(detail) as EventDetail
  const classification = classificationOf(type as EventType, read)
  const provider = providerOf({ server: read.server ?? null, message: read.message ?? null })
  const reason = `${classification.category} ${provider?.name ?? ''}`
  return { reason, kind: bounceKind(classification) }
}

export function reasonOf(value: string): RefusalReason {
  const between = value.indexOf(' ')
  return { category: value.slice(0, between) as BounceCategory, provider: value.slice(between + 1) }
}
