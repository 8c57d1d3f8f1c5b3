/**
 * Where reports about a domain are sent: an address at its return-path host (`rua=mailto:`), or a URL (`rua=https:`).
 */

const LOCAL_PART = 'reports'

/** The beginning of the paths to which TLS reports are posted. */
export const TLS_REPORTS_PATH = '/tls-reports/'

export function reportsAddress(returnPathHost: string): string {
  return `${LOCAL_PART}@${returnPathHost}`
}

/** Whether mail to the address goes to `ReportReceiver.receiveMail`, if its host is a return-path host. */
export function isReportsAddress(address: string): boolean {
  return address.slice(0, address.lastIndexOf('@')).toLowerCase() === LOCAL_PART
}
