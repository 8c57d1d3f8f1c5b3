import type { Endpoint } from '../endpoint.ts'
import { accountWorks } from './account/account.ts'
import { identityWorks } from './account/identities.ts'
import { membershipWorks } from './account/memberships.ts'
import { passkeyWorks } from './account/passkeys.ts'
import { totpWorks } from './account/totp.ts'
import { auditWorks } from './audit.ts'
import { companyWorks } from './company.ts'
import { CONSOLE_ROUTES } from './contract/routes.ts'
import type { ConsoleCore } from './core.ts'
import { doctorWorks } from './doctor.ts'
import { dkimKeyWorks } from './domains/dkim-keys.ts'
import { domainWorks } from './domains/domains.ts'
import { recordWorks } from './domains/records.ts'
import { relayWorks } from './domains/relays.ts'
import { domainReportWorks, tlsReportWorks } from './domains/reports.ts'
import { retentionWorks } from './domains/retention.ts'
import { emailActionWorks } from './emails/actions.ts'
import { emailDocumentWorks } from './emails/documents.ts'
import { externalLinkWorks } from './emails/external-link-page.ts'
import { emailListWorks } from './emails/list.ts'
import { emailWorks } from './emails/read.ts'
import { emailSourceWorks } from './emails/source.ts'
import { explainWorks } from './explain.ts'
import { installationWorks } from './installation.ts'
import { keyWorks } from './keys.ts'
import { liveWorks } from './live/live.ts'
import { overviewWorks } from './overview.ts'
import { queueWorks } from './queue.ts'
import { requestWorks } from './requests.ts'
import { returnedMailWorks } from './returned-mail.ts'
import { signInWorks } from './session/begin.ts'
import { linkWorks } from './session/links.ts'
import { newPasswordWorks } from './session/new-password.ts'
import { openIdWorks } from './session/openid.ts'
import { sessionWorks } from './session/session.ts'
import { siteWorks } from './sites.ts'
import { startWorks } from './start.ts'
import { allowedWorks } from './suppressions/allowed.ts'
import { suppressionFileWorks } from './suppressions/files.ts'
import { suppressionWorks } from './suppressions/suppressions.ts'
import { peopleWorks } from './team/people.ts'
import { teamWorks } from './team/team.ts'
import { webhookMessageWorks } from './webhooks/messages.ts'
import { webhookWorks } from './webhooks/webhooks.ts'
import { endpointsOf, type Works } from './work.ts'

const WORKS: Works<typeof CONSOLE_ROUTES> = {
  ...accountWorks,
  ...identityWorks,
  ...membershipWorks,
  ...passkeyWorks,
  ...totpWorks,
  ...auditWorks,
  ...companyWorks,
  ...dkimKeyWorks,
  ...domainWorks,
  ...recordWorks,
  ...domainReportWorks,
  ...tlsReportWorks,
  ...relayWorks,
  ...retentionWorks,
  ...emailActionWorks,
  ...emailDocumentWorks,
  ...externalLinkWorks,
  ...emailListWorks,
  ...emailWorks,
  ...emailSourceWorks,
  ...installationWorks,
  ...siteWorks,
  ...doctorWorks,
  ...explainWorks,
  ...keyWorks,
  ...liveWorks,
  ...overviewWorks,
  ...queueWorks,
  ...requestWorks,
  ...returnedMailWorks,
  ...signInWorks,
  ...linkWorks,
  ...newPasswordWorks,
  ...openIdWorks,
  ...sessionWorks,
  ...startWorks,
  ...allowedWorks,
  ...suppressionFileWorks,
  ...suppressionWorks,
  ...peopleWorks,
  ...teamWorks,
  ...webhookMessageWorks,
  ...webhookWorks,
}

export function consoleEndpoints(core: ConsoleCore): Endpoint[] {
  return endpointsOf(CONSOLE_ROUTES, WORKS, core)
}
