/** The cryptographic part of a DKIM signature, and the thread that computes it. */
import { createHash, sign as cryptoSign, type KeyObject } from 'node:crypto'
import type { DkimKeyAlgorithm } from './key.ts'

/** Returns the signature of the data in base64. */
export type Signer = (
  key: { algorithm: DkimKeyAlgorithm; privateKey: KeyObject },
  data: Buffer,
) => string | Promise<string>

/** Signs on the calling thread, which is blocked for a quarter of a millisecond (RSA-2048). */
export const signHere: Signer = ({ algorithm, privateKey }, data) => {
  const signature =
    algorithm === 'rsa-sha256'
      ? cryptoSign('sha256', data, privateKey)
      : cryptoSign(null, digestOf(data), privateKey)
  return signature.toString('base64')
}

/** Signs in the thread pool, for a thread that other work waits for. */
export const signInPool: Signer = ({ algorithm, privateKey }, data) => {
  const rsa = algorithm === 'rsa-sha256'
  return new Promise((resolve, reject) => {
    cryptoSign(rsa ? 'sha256' : null, rsa ? data : digestOf(data), privateKey, (error, signature) => {
      if (error) reject(error)
      else resolve(signature.toString('base64'))
    })
  })
}

/** RFC 8463 3: Ed25519 signs the SHA-256 of the data, not the data. */
function digestOf(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}
