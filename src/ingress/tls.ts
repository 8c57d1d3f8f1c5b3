/** TLS with a certificate that may be replaced while the service runs. */

import { constants } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext, DEFAULT_CIPHERS, type SecureContext, type SecureContextOptions } from 'node:tls'
import { FileWatch } from '../common/file-watch.ts'
import type { Log } from '../common/logging.ts'
import type { Settings } from '../config/settings.ts'
import { CertificateError } from './start-error.ts'

/**
 * Groups for the key agreement (RFC 9325 4.2, RFC 8446 9.1). Others cost the server up to milliseconds; in TLS 1.2 that
 * cost comes with the client's last message, which many clients may send at once.
 */
const GROUPS = 'X25519MLKEM768:X25519:prime256v1'
/** RFC 9325 4.1: no RSA key transport. It too would cost time at the client's last message. */
const CIPHERS = `${DEFAULT_CIPHERS}:!kRSA`

type TlsFiles = NonNullable<Settings['tls']>

/** Reads and checks both files. Throws a sentence for the operator when they cannot be used together. */
export async function readCertificate({ certPath, keyPath }: TlsFiles): Promise<SecureContextOptions> {
  try {
    const [cert, key] = await Promise.all([readFile(certPath), readFile(keyPath)])
    // RFC 9325 3.1.1: nothing below TLS 1.2.
    const options: SecureContextOptions = {
      cert,
      key,
      minVersion: 'TLSv1.2',
      ciphers: CIPHERS,
      ecdhCurve: GROUPS,
      // A renegotiation would be a handshake without a turn, requested by a client that is still unknown.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    }
    createSecureContext(options)
    return options
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new CertificateError(
      `POSTROAD_TLS_CERT (${certPath}) and POSTROAD_TLS_KEY (${keyPath}) cannot be used: ${why}. ` +
        'They must be readable PEM files, and the key must belong to the certificate. Correct the paths, or unset both to ' +
        'serve HTTP without TLS.',
      { cause },
    )
  }
}

/** The certificate for new handshakes. It may be replaced. */
export class Certificate {
  context: SecureContext

  constructor(options: SecureContextOptions) {
    this.context = createSecureContext(options)
  }

  replace(options: SecureContextOptions): void {
    this.context = createSecureContext(options)
  }
}

/** Updates `certificate` from the files. An unusable pair is logged, and the last good one stays. */
export class CertificateWatch {
  readonly #certificate: Certificate
  readonly #files: TlsFiles
  readonly #log: Log
  readonly #watch: FileWatch

  constructor(certificate: Certificate, files: TlsFiles, log: Log) {
    this.#certificate = certificate
    this.#files = files
    this.#log = log
    this.#watch = new FileWatch([files.certPath, files.keyPath], () => this.#reload())
  }

  close(): void {
    this.#watch.close()
  }

  async #reload(): Promise<void> {
    try {
      this.#certificate.replace(await readCertificate(this.#files))
      this.#log.info({}, 'the TLS certificate was replaced')
    } catch (err) {
      this.#log.error({ err }, 'the new TLS certificate cannot be used; the old one stays in use')
    }
  }
}
