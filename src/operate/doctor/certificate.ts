/** The certificate of HTTPS and SMTP submission. */

import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { utcDay } from '../../common/utc-day.ts'
import { certificateEnd } from '../certificate-end.ts'
import type { Operation } from '../verb.ts'
import { type CheckFinding, ok, type PlannedCheck, problem, warning } from './check.ts'

const RENEW =
  'Renew it; the service reads the files of POSTROAD_TLS_CERT and POSTROAD_TLS_KEY again by itself.'

export function certificateCheck(op: Operation): PlannedCheck {
  return { id: 'certificate', title: 'Certificate', run: () => result(op) }
}

async function result({ setup, publicUrl, now }: Operation): Promise<CheckFinding> {
  if (setup.tls === null) return ok('The service has no certificate of its own (POSTROAD_TLS_CERT).')
  const { certPath } = setup.tls
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(await readFile(certPath))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return problem(`${certPath} cannot be used: ${reason}.`, 'Check the file that POSTROAD_TLS_CERT names.')
  }
  const { state, sentence } = certificateEnd(certificate, now())
  const found = `It ${sentence}.`
  if (state === 'over') return problem(found, RENEW)
  if (certificate.validFromDate.getTime() > now()) {
    return problem(
      `It is not valid before ${utcDay(certificate.validFromDate.getTime())}.`,
      'Check the clock, and the file.',
    )
  }
  if (state === 'now') return problem(found, RENEW)
  if (state === 'soon') return warning(found, RENEW)
  if (publicUrl !== null && !names(certificate, new URL(publicUrl).hostname)) {
    return warning(
      `It does not name ${new URL(publicUrl).hostname}, the host of POSTROAD_PUBLIC_URL.`,
      'Get a certificate for that name, unless a proxy in front has one.',
    )
  }
  return ok(found)
}

function names(certificate: X509Certificate, host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '')
  const named = isIP(address) === 0 ? certificate.checkHost(host) : certificate.checkIP(address)
  return named !== undefined
}
