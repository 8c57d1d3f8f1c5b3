/**
 * Makes DKIM keys for companies. An RSA key takes a thread some hundred milliseconds, so they are made one at a time,
 * and companies take turns: a company that asks for many takes neither all threads nor another company's time.
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
