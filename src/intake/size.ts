import { AddressError } from '../mail/address/address.ts'
import { composedSize, estimateSize } from '../mail/compose/compose.ts'
import { bodyBound } from '../mail/compose/size-bound.ts'
import { HeaderError } from '../mail/header/header.ts'
import type { MessageContent } from '../mail/message.ts'
import type { Draft } from './draft.ts'
import { Refusal } from './refusal.ts'

/**
 * Octets of the message, an upper bound that is exact for files and for raw messages. Throws a Refusal when it is over
 * the limit or when a field cannot be written (which the checks before have missed only in odd combinations).
 * @param raw the bytes that will be sent, for a ready message
 */
export function checkSize({ content, headerBound }: Draft, raw: Uint8Array | null, max: number): number {
  const size = raw === null ? partsSize(content, headerBound, max) : raw.length
  if (size > max) throw new Refusal({ code: 'message_too_large', max, found: size })
  return size
}

function partsSize(content: MessageContent, headerBound: number | null, max: number): number {
  try {
    if (headerBound !== null) {
      const bound = headerBound + content.messageId.length + bodyBound(content)
      if (bound <= max) return bound
    }
    const bound = estimateSize(content)
    // Near the limit the bound may be unfair to the texts: then it is worth composing once to know.
    return bound > max && bound < max * 1.5 ? composedSize(content) : bound
  } catch (error) {
    if (!(error instanceof HeaderError || error instanceof AddressError)) throw error
    throw new Refusal({ code: 'field_invalid', field: 'message', detail: error.message })
  }
}
