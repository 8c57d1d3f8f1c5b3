/** The address at the return-path host of a domain to which reports about the domain are sent (`rua=mailto:`). */

const LOCAL_PART = 'reports'

export function reportsAddress(returnPathHost: string): string {
  return `${LOCAL_PART}@${returnPathHost}`
}

/** Whether mail to the address goes to `ReportReceiver.receiveMail`, if its host is a return-path host. */
export function isReportsAddress(address: string): boolean {
  return address.slice(0, address.lastIndexOf('@')).toLowerCase() === LOCAL_PART
}
