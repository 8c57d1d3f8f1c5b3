/**
 * The category of a refusal, delay or failure, from its event. For events from before categories were logged, it is
 * derived from the reply.
 */
import type { BounceCategory } from '../mail/reply/category.ts'
import { type Classification, classifyReply } from '../mail/reply/classify.ts'
import { CATEGORIZED, type EmailEvent, type EventDetail, type EventType } from './event.ts'

const WITH_CATEGORY: ReadonlySet<EventType> = new Set(CATEGORIZED)

export function hasCategory(type: EventType): boolean {
  return WITH_CATEGORY.has(type)
}

export function classificationOf(type: EventType, detail: EventDetail): Classification {
  const { category, permanent, code, enhancedCode: status, message: words = '' } = detail
  const delayed = type === 'delivery_delayed'
  if (category !== undefined) return { category, permanent: !delayed && permanent === true }
  return classifyReply({ code, status, words, delayed })
}

/** The category of each recipient's last refusal, by its position. `events`: in their order. */
export function lastCategories(
  events: readonly Pick<EmailEvent, 'type' | 'recipient' | 'detail'>[],
): Map<number, BounceCategory> {
  const categories = new Map<number, BounceCategory>()
  for (const { type, recipient, detail } of events) {
    if (recipient === null) continue
    if (hasCategory(type)) categories.set(recipient, classificationOf(type, detail).category)
    // A late bounce may follow a delivery, and a delivery any delay.
    else if (type === 'delivered') categories.delete(recipient)
  }
  return categories
}
