/**
 * Whether a report without a valid return path comes from a server that handled the email. Anybody who got the email
 * knows its Message-ID, and could write a report about another recipient. So its author has to be a mail system of the
 * recipient's domain, of the server that took the email, of a parent of one of these, or of a domain that the operator
 * of the server writes reports with (`OPERATORS`). Not of a domain below it: that may be a customer's. And:
 *
 * - it has a DKIM signature (RFC 6376) of the author's domain or of a parent; or
 * - it came straight from the address of that server with an empty reverse path, as reports have (RFC 5321 4.5.5,
 *   RFC 3464 2). Users of the server can send from its address, but not with such an author. The address has to be
 *   public: a server in our own network may relay mail of anybody.
 *   And no Received field (RFC 5321 4.4) may name a client outside: any user can forward a forged report from there.
 */
import { isInOrganization, organizationOf } from '../dns/organization.ts'
import { parseServer } from '../email/server-name.ts'
import { domainOf, isAtOrBelow } from '../mail/address/address-domain.ts'
import { canonicalAddress } from '../network/address-range.ts'
import { isNear } from '../network/private-address.ts'
import type { AddressedRecipient } from '../store/store.ts'
import type { MailSignatures, SignedMail } from './mail-signatures.ts'

interface Operator {
  /** The domain of its servers. */
  servers: string
  /** Domains that it writes reports with, if they are no parents of its servers. */
  domains: readonly string[]
  /** Further addresses that it writes reports with, in addition to `SYSTEMS`. */
  authors?: readonly string[]
  /** Local parts of its systems at the domains of its customers. Users of its own domains could have them. */
  ofCustomers?: RegExp
}

/** Operators of large mail services. */
const OPERATORS: readonly Operator[] = [
  { servers: 'google.com', domains: ['googlemail.com', 'gmail.com'] },
  {
    servers: 'outlook.com',
    // Not onmicrosoft.com: every customer has a domain below it, and sends with any address there.
    domains: ['outlook.com', 'hotmail.com', 'live.com', 'microsoft.com'],
    authors: ['staff@hotmail.com'],
    ofCustomers: /^microsoftexchange[0-9a-f]{32}$/i,
  },
  {
    servers: 'yahoodns.net',
    domains: ['yahoo.com', 'yahoo-inc.com', 'aol.com'],
    authors: ['feedback@arf.mail.yahoo.com'],
  },
  { servers: 'icloud.com', domains: ['icloud.com', 'apple.com', 'me.com'] },
]

/** Local parts of mail systems (RFC 2142 5, and that of servers), which users of no domain can have. */
const SYSTEMS = /^(?:mailer-daemon|postmaster|abuse)$/i

/** The author of a report, its signatures, and the client that handed it in. */
export interface ReportSource extends SignedMail {
  emailId: string
  author: string
  /** '' unless it came over SMTP from the empty reverse path. */
  peer: string
  /** See ReadMail. */
  clients: readonly string[]
}

export interface Proof {
  /** The positions of the recipients for whom the source is proven. */
  positions: Set<number>
  /**
   * A signature could not be verified for now: DNS did not answer in time, or too many proofs are under way. Later it
   * may prove more.
   */
  unfinished: boolean
}

export class SourceProof {
  readonly #signatures: MailSignatures

  constructor(signatures: MailSignatures) {
    this.#signatures = signatures
  }

  async prove(source: ReportSource, recipients: readonly AddressedRecipient[]): Promise<Proof> {
    const own = recipients.filter((recipient) => isSystemOf(recipient, source.author))
    const direct = own.filter((recipient) => isFromServer(source, recipient))
    const isSigned = direct.length < own.length ? await this.#isSigned(source) : false
    const proven = isSigned === true ? own : direct
    return { positions: new Set(proven.map(({ position }) => position)), unfinished: isSigned === null }
  }

  /** Whether the author's domain, or a parent of it, has signed the mail; null: unknown for now. */
  async #isSigned(source: ReportSource): Promise<boolean | null> {
    const at = domainOf(source.author)
    const signatures = source.signatures.filter(({ domain }) => isWithin(at, domain))
    if (signatures.length === 0) return false
    const organization = organizationOf(at)
    return await this.#signatures.haveValid(source, signatures, { organization, subject: source.emailId })
  }
}

/** Whether a report is from the address of the server that took the email for this recipient. */
function isFromServer(
  { peer, clients }: Pick<ReportSource, 'peer' | 'clients'>,
  { server }: Pick<AddressedRecipient, 'server'>,
): boolean {
  if (server === null) return false
  const { address, host } = parseServer(server)
  if (address === null || peer !== address || isNear(peer)) return false
  return clients.every((client) => isInside(client, { address, host }))
}

/**
 * Whether a client that the server got the report from is one of its own. A name alone is that of a program or of a
 * host without a connection; beside an address it proves nothing, because the client says it.
 */
function isInside(client: string, server: { address: string; host: string }): boolean {
  const address = canonicalAddress(client)
  if (address !== null) return address === server.address || isNear(address)
  return !client.includes('.') || isInOrganization(client, server.host)
}

/** Whether the author is an address from which mail systems that handle the recipient's mail write reports. */
function isSystemOf(
  { address, server }: Pick<AddressedRecipient, 'address' | 'server'>,
  author: string,
): boolean {
  const local = author.slice(0, author.lastIndexOf('@'))
  const [domain, at] = [domainOf(address), domainOf(author)]
  const host = server === null ? null : parseServer(server).host
  const operator = OPERATORS.find(({ servers }) => host !== null && isWithin(host, servers))
  if (operator?.authors?.includes(author.toLowerCase())) return true
  const isOperators = operator?.domains.includes(at) ?? false
  if (SYSTEMS.test(local)) return isOperators || isWithin(domain, at) || (host !== null && isWithin(host, at))
  return !isOperators && at === domain && (operator?.ofCustomers?.test(local) ?? false)
}

/** Whether a name is the domain, or lies below it. Nobody signs for a top-level domain. */
function isWithin(name: string, domain: string): boolean {
  return domain.includes('.') && isAtOrBelow(name, domain)
}
