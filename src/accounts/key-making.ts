/**
 * DKIM keys for companies. An RSA key takes some hundred milliseconds of a thread, so one is made after the other, and
 * companies take turns: who asks for many takes neither all threads nor the time of who asks for one.
 */
import { CompanyTurns } from '../common/company-turns.ts'
import { type DkimKey, type DkimKeyAlgorithm, generateDkimKey } from '../mail/dkim/key.ts'

const waiting = new CompanyTurns<() => void>()
let isMaking = false

export async function makeDkimKey(companyId: string, algorithm: DkimKeyAlgorithm): Promise<DkimKey> {
  if (algorithm !== 'rsa-sha256') return await generateDkimKey(algorithm)
  if (isMaking) await new Promise<void>((begin) => waiting.push(companyId, begin))
  isMaking = true
  try {
    return await generateDkimKey(algorithm)
  } finally {
    const next = waiting.take()
    if (next === null) isMaking = false
    else next()
  }
}
