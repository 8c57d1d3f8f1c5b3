/** The octets are not a report that can be read. The message is a sentence for people. */
export class DomainReportError extends Error {
  override name = 'DomainReportError'
}
