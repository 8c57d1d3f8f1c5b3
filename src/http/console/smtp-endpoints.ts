import type { Settings } from '../../config/settings.ts'

/** Where programs hand in mail over SMTP, on the host that they reach the service under. */
export function smtpEndpoints({ submission, tls }: Pick<Settings, 'submission' | 'tls'>, url: string) {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return submission.flatMap(({ port, implicitTls }) => {
    const security = implicitTls ? 'tls' : tls === null ? 'none' : 'starttls'
    // One that is picked at each start is no address to write into a program.
    return port === 0 ? [] : [{ host, port, security } as const]
  })
}
