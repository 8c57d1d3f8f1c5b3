import { hostPort } from '../network/host-port.ts'

/** Errors that keep the listeners from starting, as a sentence for the operator that names the setting to change. */
export class CannotListen extends Error {
  override name = 'CannotListen'
}

/** The certificate or its key is missing or unreadable, or they do not belong together. */
export class CertificateError extends Error {
  override name = 'CertificateError'
}

/** `setting`: the setting of the address. Errors that are not about the address stay unchanged. */
export function cannotListen(
  error: unknown,
  setting: string,
  { host, port }: { host: string; port: number },
): unknown {
  const { code } = error as NodeJS.ErrnoException
  const reason = reasonOf(code, hostPort(host, port), host, setting)
  return reason === null ? error : new CannotListen(reason, { cause: error })
}

function reasonOf(code: string | undefined, place: string, host: string, setting: string): string | null {
  switch (code) {
    case 'EADDRINUSE':
      return `the address ${place} is in use: stop the program that listens there, or set ${setting} to another one`
    case 'EADDRNOTAVAIL':
      return `the address ${place} does not belong to this machine: set ${setting} to one that does`
    case 'EACCES':
      return `not allowed to listen on ${place}: ports below 1024 need privileges; set ${setting} to a higher one`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name ${host} is not known: set ${setting} to an address of this machine`
    default:
      return null
  }
}
