/**
 * The `o:` options. An unsupported option that would change whether, when, how or with which signature the message is
 * sent is refused: the client must not believe that it took effect. An option that only observes the message, or that
 * asks for the usual behaviour, is accepted and ignored; so is every unknown option.
 */
import { isIP } from 'node:net'
import { invalidField, Refusal } from '../../intake/refusal.ts'
import type { RequestedSource } from '../../intake/submission.ts'
import { canonicalAddress } from '../../network/address-range.ts'
import { readDeliveryTime } from './delivery-time.ts'
import { readDeliveryWindow } from './delivery-window.ts'
import type { OptionName } from './schemas.ts'
import { isYes } from './yes-no.ts'

export interface Options {
  tags: { name: string; value: string }[]
  testMode: boolean
  requireTls: boolean
  /** The certificate need not be valid. Has an effect only with `requireTls`. */
  skipVerification: boolean
  /** Milliseconds. */
  deliverWithin?: number
  /** Unix milliseconds. */
  dueAt?: number
  source?: RequestedSource
}

export interface OptionField {
  /** `o:...` in lower case. */
  name: string
  value: string
  /** The client's spelling of the name. */
  shown: string
}

type OptionUse = (field: OptionField) => boolean
const always: OptionUse = () => true
// An unclear value is refused: a test message that was taken for a real one would reach people.
const asksFor: OptionUse = ({ value, shown }) => isYes(shown, value)

const UNSUPPORTED: Readonly<Record<string, { when: OptionUse; detail: string }>> = {
  'o:dkim': { when: (field) => !asksFor(field), detail: 'every message is signed' },
  'o:secondary-dkim': {
    when: always,
    detail: 'a message can only be signed with the keys of its own domain',
  },
  'o:deliverytime-optimize-period': {
    when: always,
    detail: 'use o:deliverytime to schedule the message',
  },
  'o:time-zone-localize': { when: always, detail: 'use o:deliverytime to schedule the message' },
  'o:archive-to': { when: always, detail: 'copies to other services are not supported' },
}

const READ: Readonly<Record<OptionName, (options: Options, field: OptionField) => void>> = {
  'o:tag'({ tags }, { value }) {
    tags.push({ name: 'tag', value })
  },
  'o:testmode'(options, field) {
    options.testMode = asksFor(field) || options.testMode
  },
  'o:require-tls'(options, field) {
    options.requireTls = asksFor(field) || options.requireTls
  },
  'o:skip-verification'(options, field) {
    options.skipVerification = asksFor(field) || options.skipVerification
  },
  'o:deliver-within'(options, { value, shown }) {
    options.deliverWithin = readDeliveryWindow(shown, value)
  },
  'o:sending-ip'(options, { value, shown }) {
    const address = canonicalAddress(value)
    if (address === null) throw invalidField(shown, `"${value}" is not an IP address`)
    options.source = { name: address, field: shown }
  },
  // An address is the narrower choice.
  'o:sending-ip-pool'(options, { value, shown }) {
    if (options.source === undefined || isIP(options.source.name) === 0)
      options.source = { name: value, field: shown }
  },
  'o:deliverytime'(options, { value }) {
    options.dueAt = readDeliveryTime(value)
  },
}

/** Throws a Refusal for an option that cannot be honoured, and a Fault for a time that cannot be read. */
export function readOptions(fields: readonly OptionField[]): Options {
  const options: Options = { tags: [], testMode: false, requireTls: false, skipVerification: false }
  for (const field of fields) {
    const { name, value, shown } = field
    if (value === '') continue
    const refused = UNSUPPORTED[name]
    if (refused?.when(field)) {
      throw new Refusal({ code: 'unsupported', field: shown, detail: refused.detail })
    }
    if (Object.hasOwn(READ, name)) READ[name as OptionName](options, field)
  }
  return options
}
