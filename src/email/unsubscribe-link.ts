/**
 * Links by which a recipient unsubscribes. Each link names the recipient and the email, and is signed, so that nobody
 * can make a link for another recipient. The links are not stored. They work as long as the installation's secret key
 * stays the same.
 */
import { type Secrets, SignedTokens } from '../common/signed-tokens.ts'
import { bodyIncludes } from '../mail/body.ts'
import type { MessageBody } from '../mail/message.ts'
import { uuidAt, uuidOctets } from '../mail/uuid.ts'

/** The purpose for which the secret of these links is derived. */
const PURPOSE = 'unsubscribe links'

export const UNSUBSCRIBE_PATH = '/unsubscribe/'

/**
 * Recipient variables that stand for the links; the parser of a submission puts them in place of the dialect's
 * placeholders.
 */
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
  /** Unsubscribes only from mail with the tags of this email. */
  tagsOnly: boolean
}

const VERSION = 1
/** Version, kind, position, and three UUIDs; the address follows. */
const HEAD = 1 + 1 + 4 + 3 * 16

export class UnsubscribeLinks {
  readonly #base: string
  readonly #tokens: SignedTokens

  /** `base`: the URL at which recipients reach the service. */
  constructor(base: string, secrets: Secrets) {
    this.#base = base
    this.#tokens = new SignedTokens(secrets, PURPOSE)
  }

  url(link: UnsubscribeLink): string {
    return `${this.#base}${UNSUBSCRIBE_PATH}${this.#tokens.token(encoded(link))}`
  }

  /** Decodes the last part of such a URL; null: this installation did not make the URL. */
  parseToken(token: string): UnsubscribeLink | null {
    const octets = this.#tokens.octetsIn(token)
    return octets !== null && octets.length > HEAD && octets[0] === VERSION ? decoded(octets) : null
  }

  /** The values of the variables `UNSUBSCRIBE_KEYS` for one recipient. */
  variables(link: Omit<UnsubscribeLink, 'tagsOnly'>): Record<string, string> {
    return {
      [UNSUBSCRIBE_KEYS.all]: this.url({ ...link, tagsOnly: false }),
      [UNSUBSCRIBE_KEYS.tags]: this.url({ ...link, tagsOnly: true }),
    }
  }
}

/** Null when no public URL is configured. */
export function unsubscribeLinks(publicUrl: string | null, secrets: Secrets): UnsubscribeLinks | null {
  return publicUrl === null ? null : new UnsubscribeLinks(publicUrl, secrets)
}

/** Texts that may have a placeholder for such a link. */
interface LinkTexts {
  html?: MessageBody | undefined
  text?: MessageBody | undefined
  amp?: MessageBody | undefined
  headers: readonly (readonly [name: string, value: string])[]
}

const wanting = new WeakMap<object, boolean>()

/** Whether a text has a placeholder for a link. Each content is searched once. */
export function wantsLinks(content: LinkTexts): boolean {
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
  const ids = [emailId, companyId, domainId].map(uuidOctets)
  return Buffer.concat([head, ...ids, Buffer.from(address)])
}

function decoded(octets: Buffer): UnsubscribeLink {
  const [emailId, companyId, domainId] = [6, 22, 38].map((at) => uuidAt(octets, at)) as [
    string,
    string,
    string,
  ]
  return {
    emailId,
    companyId,
    domainId,
    position: octets.readUInt32BE(2),
    address: octets.toString('utf8', HEAD),
    tagsOnly: octets[1] === 1,
  }
}
