/**
 * Makes DKIM keys for companies. Generating an RSA key occupies a thread for some hundred milliseconds, so RSA keys are
 * made one at a time, and companies take turns: a company that asks for many does not hold up the others.
 */
import { CompanyPlaces } from '../common/company-places.ts'
import { type DkimKey, type DkimKeyAlgorithm, generateDkimKey } from '../mail/dkim/key.ts'

const places = new CompanyPlaces({ size: 1, kept: 0, timesFree: 1 })

export async function makeDkimKey(companyId: string, algorithm: DkimKeyAlgorithm): Promise<DkimKey> {
  if (algorithm !== 'rsa-sha256') return await generateDkimKey(algorithm)
  const end = await places.take(companyId)
  try {
    return await generateDkimKey(algorithm)
  } finally {
    end()
  }
}
