/**
 * Bodies that cross threads. A string is copied into the heap of each thread and stays there until that heap is
 * collected; octets are transferred and lie outside every heap. So a large body crosses as UTF-8, and only the thread
 * that reads it (for example to compose the message) decodes it.
 */
import { LARGE_TEXT } from './large-text.ts'
import type { MessageBody, MessageContent } from './message.ts'

type Bodies = Pick<MessageContent<MessageBody>, 'html' | 'text' | 'amp'>

const NAMES = ['html', 'text', 'amp'] as const

export function textOf(body: MessageBody): string {
  if (typeof body === 'string') return body
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
}

/** A short body becomes a string, a large one stays octets. */
export function bodyOf(octets: Uint8Array): MessageBody {
  return octets.byteLength < LARGE_TEXT ? textOf(octets) : octets
}

/** Returns the content with large bodies as octets. */
export function withOctets(content: MessageContent<MessageBody>): MessageContent<MessageBody> {
  return mapBodies(content, (body) =>
    typeof body === 'string' && body.length >= LARGE_TEXT ? Buffer.from(body) : body,
  )
}

/** Returns the content with all bodies as strings. */
export function withTexts(content: MessageContent<MessageBody>): MessageContent {
  return mapBodies(content, textOf) as MessageContent
}

/** Returns the content with each body that is octets replaced by what `change` returns for it. */
export function withOtherOctets(
  content: MessageContent<MessageBody>,
  change: (octets: Uint8Array) => Uint8Array,
): MessageContent<MessageBody> {
  return mapBodies(content, (body) => (typeof body === 'string' ? body : change(body)))
}

/** Lists the bodies that are octets. */
export function largeBodies(content: Bodies): Uint8Array[] {
  return NAMES.flatMap((name) => {
    const body = content[name]
    return body === undefined || typeof body === 'string' ? [] : [body]
  })
}

/** Most content has no large body and is returned as it is. */
function mapBodies(
  content: MessageContent<MessageBody>,
  change: (body: MessageBody) => MessageBody,
): MessageContent<MessageBody> {
  let result = content
  for (const name of NAMES) {
    const body = content[name]
    if (body === undefined) continue
    const changed = change(body)
    if (changed !== body) result = { ...result, [name]: changed }
  }
  return result
}

/** True when the body contains `text`, which must be ASCII. */
export function bodyIncludes(body: MessageBody, text: string): boolean {
  return typeof body === 'string' ? body.includes(text) : octetsOf(body).includes(text)
}

/** The position of `text` in a body, at or after `from`; negative when it is not there. */
export function bodyIndexOf(body: MessageBody, text: string, from: number): number {
  return typeof body === 'string' ? body.indexOf(text, from) : octetsOf(body).indexOf(text, from)
}

function octetsOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
