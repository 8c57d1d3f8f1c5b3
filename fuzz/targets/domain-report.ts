import { readDmarcReport } from '../../src/mail/domain-report/dmarc-report.ts'
import { DomainReportError } from '../../src/mail/domain-report/report-error.ts'
import { readTlsReport, tlsReportJson } from '../../src/mail/domain-report/tls-report.ts'
import { assert, type FuzzTarget, words } from '../target.ts'

const DMARC = `<feedback><report_metadata><org_name>r</org_name><report_id>1</report_id><date_range><begin>1</begin><end>2</end>
</date_range></report_metadata><policy_published><domain>x.test</domain><p>none</p></policy_published><record><row>
<source_ip>192.0.2.1</source_ip><count>3</count><policy_evaluated><dkim>pass</dkim></policy_evaluated></row><identifiers>
<header_from>x.test</header_from></identifiers></record></feedback>`
const TLS = `{"organization-name":"r","report-id":"1","date-range":{"start-datetime":"2026-11-20T00:00:00Z",
"end-datetime":"2026-11-20T23:59:59Z"},"policies":[{"policy":{"policy-type":"sts","policy-domain":"x.test"},
"summary":{"total-successful-session-count":1,"total-failure-session-count":2},"failure-details":[{"result-type":"a"}]}]}`

/** Whatever is sent as a report is refused in a sentence, or has domains, counts and texts within bounds. */
export const domainReport: FuzzTarget = {
  name: 'domain-report',
  about: 'DMARC aggregate reports and TLS reports',
  seeds: [DMARC, TLS],
  tokens: words(
    '<record> </record> <![CDATA[ ]]> <!-- --> &amp; &#65; &#x10ffff; <!DOCTYPE <?xml ?> /> { } [ ] : , " 1e9 null',
  ),
  run(input) {
    const text = input.toString()
    const dmarc = unlessRefused(() => readDmarcReport(text))
    for (const { messages, headerFrom, source } of dmarc?.records ?? []) {
      assert(messages >= 1 && messages <= 1e9, 'a count without bound')
      assert(headerFrom.length <= 255 && source.length <= 45, 'a name without bound')
    }
    const tls = unlessRefused(() => readTlsReport(text))
    if (tls === null) return
    for (const { failed, successful } of tls.policies) {
      assert(failed >= 0 && successful >= 0 && failed + successful <= 2e9, 'a count without bound')
    }
    if (Math.abs(tls.begin) < 4e15) {
      const again = unlessRefused(() => readTlsReport(tlsReportJson(tls)))
      assert(again?.policies.length === tls.policies.length, 'a report that cannot be read again')
    }
  },
}

function unlessRefused<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof DomainReportError)) throw error
    return null
  }
}
