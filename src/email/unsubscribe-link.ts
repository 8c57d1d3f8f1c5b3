/**
 * Links by which a recipient wants no more mail. Each says whose it is and of which email, signed: nobody can make one
 * for another, and nothing is kept of them. They work as long as the secret key of the installation is the same.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { bodyIncludes } from '../mail/body.ts'
import type { MessageBody } from '../mail/message.ts'

/** What the secret of these links is derived for. */
const PURPOSE = 'unsubscribe links'

export const UNSUBSCRIBE_PATH = '/unsubscribe/'

/** Recipient variables that stand for them; whoever reads a submission puts these where a link is wanted. */
export const UNSUBSCRIBE_KEYS = {
  all: 'postroad:unsubscribe_url',
  tags: 'postroad:tag_unsubscribe_url',
} as const
const MARK = '%recipient.postroad:'

export interface UnsubscribeLink {
  emailId: string
  /** Index of the recipient within the email. */
  position: number
  companyId: string
  domainId: string
  address: string
  /** From mail with the tags of this email alone. */
  tagsOnly: boolean
}

const VERSION = 1
const SIGNATURE = 16
/** Version, kind, position, and three UUIDs; the address follows. */
const HEAD = 1 + 1 + 4 + 3 * 16

/** 32 octets for one purpose, made of the installation's secret key. */
interface Secrets {
  derive(purpose: string): Buffer
}

export class UnsubscribeLinks {
  readonly #base: string
  readonly #secrets: Secrets
  #secret: Buffer | null = null

  /** `base`: where recipients reach the service. */
  constructor(base: string, secrets: Secrets) {
    this.#base = base
    this.#secrets = secrets
  }

  url(link: UnsubscribeLink): string {
    const octets = encoded(link)
    const token = Buffer.concat([octets, this.#sign(octets)]).toString('base64url')
    return `${this.#base}${UNSUBSCRIBE_PATH}${token}`
  }

  /** What stands at the end of such a URL; null: it was not made here. */
  read(token: string): UnsubscribeLink | null {
    const all = Buffer.from(token, 'base64url')
    if (all.length <= HEAD + SIGNATURE) return null
    const octets = all.subarray(0, -SIGNATURE)
    if (!timingSafeEqual(all.subarray(-SIGNATURE), this.#sign(octets))) return null
    return octets[0] === VERSION ? decoded(octets) : null
  }

  /** The values of these variables for one recipient. */
  variables(link: Omit<UnsubscribeLink, 'tagsOnly'>): Record<string, string> {
    return {
      [UNSUBSCRIBE_KEYS.all]: this.url({ ...link, tagsOnly: false }),
      [UNSUBSCRIBE_KEYS.tags]: this.url({ ...link, tagsOnly: true }),
    }
  }

  #sign(octets: Uint8Array): Buffer {
    this.#secret ??= this.#secrets.derive(PURPOSE)
    return createHmac('sha256', this.#secret).update(octets).digest().subarray(0, SIGNATURE)
  }
}

/** Null where nobody has said how recipients reach the service. */
export function unsubscribeLinks(publicUrl: string | null, secrets: Secrets): UnsubscribeLinks | null {
  return publicUrl === null ? null : new UnsubscribeLinks(publicUrl, secrets)
}

/** Texts in which such a link is wanted. */
interface Texts {
  html?: MessageBody | undefined
  text?: MessageBody | undefined
  amp?: MessageBody | undefined
  headers: readonly (readonly [name: string, value: string])[]
}

const wanting = new WeakMap<object, boolean>()

/** Whether there is a place for a link; looked for once in each content. */
export function wantsLinks(content: Texts): boolean {
  let wants = wanting.get(content)
  if (wants === undefined) {
    const { html = '', text = '', amp = '', headers } = content
    wants = [html, text, amp, ...headers.map(([, value]) => value)].some((each) => bodyIncludes(each, MARK))
    wanting.set(content, wants)
  }
  return wants
}

function encoded({ emailId, position, companyId, domainId, address, tagsOnly }: UnsubscribeLink): Buffer {
  const head = Buffer.alloc(6)
  head[0] = VERSION
  head[1] = tagsOnly ? 1 : 0
  head.writeUInt32BE(position, 2)
  const ids = [emailId, companyId, domainId].map((id) => Buffer.from(id.replaceAll('-', ''), 'hex'))
  return Buffer.concat([head, ...ids, Buffer.from(address)])
}

function decoded(octets: Buffer): UnsubscribeLink {
  const [emailId, companyId, domainId] = [6, 22, 38].map((at) => uuidAt(octets, at)) as [
    string,
    string,
    string,
  ]
  return {
    ...{ emailId, companyId, domainId },
    position: octets.readUInt32BE(2),
    address: octets.toString('utf8', HEAD),
    tagsOnly: octets[1] === 1,
  }
}

function uuidAt(octets: Buffer, at: number): string {
  const hex = octets.toString('hex', at, at + 16)
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
