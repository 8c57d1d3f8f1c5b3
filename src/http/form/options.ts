/**
 * The `o:` options. One that would change whether, when, how or with which signature the message travels, and that this
 * service does not know, is refused: who asked for it must not believe it was done. One that only observes the message, or that
 * asks for what happens anyway, is taken and left aside; so is every option nobody has heard of.
 */
import { Refusal } from '../../intake/refusal.ts'
import { readDeliveryTime } from './delivery-time.ts'

export interface Options {
  tags: { name: string; value: string }[]
  testMode: boolean
  /** Unix milliseconds. */
  dueAt?: number
}

type Wanted = (value: string) => boolean
const always: Wanted = () => true

const UNSUPPORTED: Readonly<Record<string, { when: Wanted; detail: string }>> = {
  'o:require-tls': {
    when: isYes,
    detail: 'TLS is used wherever the next server offers it, but it cannot be demanded for one message',
  },
  'o:dkim': { when: isNo, detail: 'every message is signed' },
  'o:secondary-dkim': { when: always, detail: 'a message is signed with the keys of its own domain only' },
  'o:deliver-within': {
    when: always,
    detail: 'the time in which delivery is tried cannot be set for one message',
  },
  'o:deliverytime-optimize-period': {
    when: always,
    detail: 'use o:deliverytime to say when the message may leave',
  },
  'o:time-zone-localize': { when: always, detail: 'use o:deliverytime to say when the message may leave' },
  'o:sending-ip': { when: always, detail: 'the address a message leaves from cannot be chosen' },
  'o:sending-ip-pool': { when: always, detail: 'the address a message leaves from cannot be chosen' },
  'o:archive-to': { when: always, detail: 'no copy is sent elsewhere' },
}

/** Takes the `o:` fields, names in lower case. Throws a Refusal for what would have to be done and cannot be. */
export function readOptions(fields: readonly (readonly [name: string, value: string])[]): Options {
  const options: Options = { tags: [], testMode: false }
  for (const [name, value] of fields) {
    if (value === '') continue
    const refused = UNSUPPORTED[name]
    if (refused?.when(value)) {
      throw new Refusal({ code: 'unsupported', field: name, detail: refused.detail })
    }
    if (name === 'o:tag') options.tags.push({ name: 'tag', value })
    else if (name === 'o:testmode') options.testMode ||= isYes(value)
    else if (name === 'o:deliverytime') options.dueAt = readDeliveryTime(value)
  }
  return options
}

function isYes(value: string): boolean {
  return /^(?:yes|true)$/i.test(value.trim())
}

function isNo(value: string): boolean {
  return /^(?:no|false)$/i.test(value.trim())
}
