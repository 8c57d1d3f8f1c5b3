import type { Settings } from '../../config/settings.ts'

/** The addresses for SMTP submission, on the host of the service's URL. */
export function smtpEndpoints({ submission, tls }: Pick<Settings, 'submission' | 'tls'>, url: string) {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return submission.flatMap(({ port, implicitTls }) => {
    const security = implicitTls ? 'tls' : tls === null ? 'none' : 'starttls'
    // A port chosen anew at each start cannot be configured in a program.
    return port === 0 ? [] : [{ host, port, security } as const]
  })
}
