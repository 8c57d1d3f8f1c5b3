/**
 * DKIM keys for companies. An RSA key takes some hundred milliseconds of a thread, so one is made after the other, and
 * companies take turns: who asks for many takes neither all threads nor the time of who asks for one.
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
