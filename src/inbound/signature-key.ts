/** Which keys prove the source of a mail (RFC 6376 3.6.1). */
import { DkimRecordError, parseDkimRecord } from '../mail/dkim/key.ts'

/** The hash of the signatures that count: those with SHA-1 must not be verified (RFC 8301 3.1). */
export const SIGNATURE_HASH = 'sha256'

/**
 * The record of a key that may sign mail with this hash and is not marked as a test; null when there is none. Several
 * records at one name are undefined (RFC 6376 3.6.2.2).
 * @param identified the signatures made with it are for their domain itself (i=), not for one below it
 */
export function keyForMail(records: readonly string[], identified: boolean): string | null {
  const [record] = records
  if (record === undefined || records.length > 1) return null
  try {
    const { hashes, services, testing, exact } = parseDkimRecord(record)
    if (testing || (exact && !identified)) return null
    if (hashes.length > 0 && !hashes.includes(SIGNATURE_HASH)) return null
    const serves = services.length === 0 || services.includes('*') || services.includes('email')
    return serves ? record : null
  } catch (error) {
    if (error instanceof DkimRecordError) return null
    throw error
  }
}
