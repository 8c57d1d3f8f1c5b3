import type { Reply } from './reply.ts'

/** The extensions that the server offers in its answer to EHLO (RFC 5321 4.1.1.1). */
export interface Extensions {
  pipelining: boolean
  /** RFC 1870 is offered, so MAIL may give the size of the message. */
  sizeOffered: boolean
  /** RFC 1870: the largest message in octets; null when the server names no limit. */
  size: number | null
  eightBitMime: boolean
  smtpUtf8: boolean
  /** RFC 3461: MAIL may have ENVID. */
  dsn: boolean
  enhancedStatusCodes: boolean
  startTls: boolean
  /** Mechanism names in capitals. */
  auth: ReadonlySet<string>
}

/** The extensions of a server that knows only HELO. */
export const noExtensions: Extensions = {
  pipelining: false,
  sizeOffered: false,
  size: null,
  eightBitMime: false,
  smtpUtf8: false,
  dsn: false,
  enhancedStatusCodes: false,
  startTls: false,
  auth: new Set(),
}

/** Reads the answer to EHLO. The first line is the server's greeting; unknown keywords are skipped. */
export function parseExtensions(reply: Reply): Extensions {
  const auth = new Set<string>()
  const extensions = { ...noExtensions, auth }
  for (const line of reply.lines.slice(1)) {
    // `AUTH=LOGIN PLAIN` is the syntax from before RFC 2554; some servers send it beside or instead of the right one.
    const [keyword = '', ...parameters] = line.trim().split(/ +|(?<=^AUTH)=/i)
    switch (keyword.toUpperCase()) {
      case 'PIPELINING':
        extensions.pipelining = true
        break
      case 'SIZE':
        extensions.sizeOffered = true
        extensions.size = parseSize(parameters[0])
        break
      case '8BITMIME':
        extensions.eightBitMime = true
        break
      case 'SMTPUTF8':
        extensions.smtpUtf8 = true
        break
      case 'DSN':
        extensions.dsn = true
        break
      case 'ENHANCEDSTATUSCODES':
        extensions.enhancedStatusCodes = true
        break
      case 'STARTTLS':
        extensions.startTls = true
        break
      case 'AUTH':
        for (const mechanism of parameters) auth.add(mechanism.toUpperCase())
        break
    }
  }
  return extensions
}

/** RFC 1870 3: no figure or zero means that there is no fixed limit. A parameter that is no figure counts as none. */
function parseSize(parameter: string | undefined): number | null {
  if (parameter === undefined || !/^\d{1,20}$/.test(parameter)) return null
  return Number(parameter) || null
}
