/**
 * Bodies on their way between threads. A text is copied into the heap of each thread that it crosses to, and lies there
 * until that heap is collected; octets are moved and lie outside of every heap. So a large body crosses as its UTF-8,
 * and only the thread that reads it (to compose the message, say) makes it a text again.
 */
import { LARGE_TEXT } from './large-text.ts'
import type { Body, MessageContent } from './message.ts'

type Bodies = Pick<MessageContent<Body>, 'html' | 'text' | 'amp'>

const NAMES = ['html', 'text', 'amp'] as const

export function textOf(body: Body): string {
  if (typeof body === 'string') return body
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
}

/** Column values and the like: a short body becomes a text, a large one stays as it is. */
export function bodyOf(octets: Uint8Array): Body {
  return octets.byteLength < LARGE_TEXT ? textOf(octets) : octets
}

/** The same content with large bodies as octets. */
export function withOctets(content: MessageContent<Body>): MessageContent<Body> {
  return mapped(content, (body) =>
    typeof body === 'string' && body.length >= LARGE_TEXT ? Buffer.from(body) : body,
  )
}

/** The same content with all bodies as texts. */
export function withTexts(content: MessageContent<Body>): MessageContent {
  return mapped(content, textOf) as MessageContent
}

/** The same content with other octets in the place of bodies that are octets. */
export function withOtherOctets(
  content: MessageContent<Body>,
  change: (octets: Uint8Array) => Uint8Array,
): MessageContent<Body> {
  return mapped(content, (body) => (typeof body === 'string' ? body : change(body)))
}

/** The bodies that are octets. */
export function largeBodies(content: Bodies): Uint8Array[] {
  return NAMES.flatMap((name) => {
    const body = content[name]
    return body === undefined || typeof body === 'string' ? [] : [body]
  })
}

/** Most content has nothing large, and stays the object that it is. */
function mapped(content: MessageContent<Body>, change: (body: Body) => Body): MessageContent<Body> {
  let result = content
  for (const name of NAMES) {
    const body = content[name]
    if (body === undefined) continue
    const changed = change(body)
    if (changed !== body) result = { ...result, [name]: changed }
  }
  return result
}

/** Whether a body holds this text, which is ASCII. */
export function bodyIncludes(body: Body, text: string): boolean {
  return typeof body === 'string' ? body.includes(text) : octetsOf(body).includes(text)
}

/** Where it is from `from` on; negative: nowhere. */
export function bodyIndexOf(body: Body, text: string, from: number): number {
  return typeof body === 'string' ? body.indexOf(text, from) : octetsOf(body).indexOf(text, from)
}

function octetsOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
