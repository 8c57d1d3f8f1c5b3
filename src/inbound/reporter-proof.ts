/**
 * The author of a report about a domain. Anybody can write one in any name, so an author counts if the organization of
 * the author's domain has signed it. Organizations that report sign their mail, and RFC 9990 requires the signature to
 * be aligned.
 */
import { organizationOf } from '../dns/organization.ts'
import type { VerifiedAuthor } from '../domain-reports/received/report-receiver.ts'
import { domainOf } from '../mail/address/address-domain.ts'
import type { MailSignatures, SignedMail } from './mail-signatures.ts'

const SUBJECT = 'reports about domains by'
/** Characters of an address (RFC 5321 4.5.3.1.3). */
const LONGEST = 254

export class ReporterProof {
  readonly #signatures: MailSignatures

  constructor(signatures: MailSignatures) {
    this.#signatures = signatures
  }

  async authorOf(mail: SignedMail & { author: string }): Promise<VerifiedAuthor> {
    const unknown: VerifiedAuthor = { address: null, unfinished: false }
    if (mail.author.length > LONGEST || mail.signatures.length === 0) return unknown
    const organization = organizationOf(domainOf(mail.author))
    const aligned = mail.signatures.filter(({ domain }) => organizationOf(domain) === organization)
    if (aligned.length === 0) return unknown
    const isValid = await this.#signatures.haveValid(mail, aligned, {
      organization,
      subject: `${SUBJECT} ${organization}`,
    })
    if (isValid === null) return { address: null, unfinished: true }
    return isValid ? { address: mail.author.toLowerCase(), unfinished: false } : unknown
  }
}
