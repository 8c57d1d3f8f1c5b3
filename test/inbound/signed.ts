/** Mail with DKIM signatures, as other mail systems make them. */
import { generateKeyPairSync } from 'node:crypto'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 })
export const KEY = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
/** Of the key with the selector `s`. */
export const KEY_RECORD = `v=DKIM1; k=rsa; p=${KEY}`

/** The mail with a signature of this domain. */
export async function signed(mail: string, domain: string, headerList?: string): Promise<string> {
  const options = {
    signingDomain: domain,
    selector: 's',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  }
  const { signatures } = await dkimSign(mail, {
    canonicalization: 'relaxed/relaxed',
    signatureData: [options],
    headerList,
  } as never)
  return `${signatures}${mail}`
}
