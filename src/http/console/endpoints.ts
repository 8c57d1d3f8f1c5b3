import type { Endpoint } from '../endpoint.ts'
import { accountHandlers } from './account/account.ts'
import { identityHandlers } from './account/identities.ts'
import { membershipHandlers } from './account/memberships.ts'
import { passkeyHandlers } from './account/passkeys.ts'
import { totpHandlers } from './account/totp.ts'
import { auditHandlers } from './audit.ts'
import { companyHandlers } from './company.ts'
import { CONSOLE_ROUTES } from './contract/routes.ts'
import type { ConsoleCore } from './core.ts'
import { doctorHandlers } from './doctor.ts'
import { dkimKeyHandlers } from './domains/dkim-keys.ts'
import { domainHandlers } from './domains/domains.ts'
import { recordHandlers } from './domains/records.ts'
import { relayHandlers } from './domains/relays.ts'
import { domainReportHandlers, tlsReportHandlers } from './domains/reports.ts'
import { retentionHandlers } from './domains/retention.ts'
import { emailActionHandlers } from './emails/actions.ts'
import { emailDocumentHandlers } from './emails/documents.ts'
import { externalLinkHandlers } from './emails/external-link-page.ts'
import { emailListHandlers } from './emails/list.ts'
import { emailHandlers } from './emails/read.ts'
import { emailSourceHandlers } from './emails/source.ts'
import { explainHandlers } from './explain.ts'
import { endpointsOf, type Handlers } from './handlers.ts'
import { installationHandlers } from './installation.ts'
import { keyHandlers } from './keys.ts'
import { liveHandlers } from './live/live.ts'
import { overviewHandlers } from './overview.ts'
import { queueHandlers } from './queue.ts'
import { requestHandlers } from './requests.ts'
import { returnedMailHandlers } from './returned-mail.ts'
import { signInHandlers } from './session/begin.ts'
import { linkHandlers } from './session/links.ts'
import { newPasswordHandlers } from './session/new-password.ts'
import { openIdHandlers } from './session/openid.ts'
import { sessionHandlers } from './session/session.ts'
import { siteHandlers } from './sites.ts'
import { startHandlers } from './start.ts'
import { allowedHandlers } from './suppressions/allowed.ts'
import { suppressionFileHandlers } from './suppressions/files.ts'
import { suppressionHandlers } from './suppressions/suppressions.ts'
import { peopleHandlers } from './team/people.ts'
import { teamHandlers } from './team/team.ts'
import { webhookMessageHandlers } from './webhooks/messages.ts'
import { webhookHandlers } from './webhooks/webhooks.ts'

const HANDLERS: Handlers<typeof CONSOLE_ROUTES> = {
  ...accountHandlers,
  ...identityHandlers,
  ...membershipHandlers,
  ...passkeyHandlers,
  ...totpHandlers,
  ...auditHandlers,
  ...companyHandlers,
  ...dkimKeyHandlers,
  ...domainHandlers,
  ...recordHandlers,
  ...domainReportHandlers,
  ...tlsReportHandlers,
  ...relayHandlers,
  ...retentionHandlers,
  ...emailActionHandlers,
  ...emailDocumentHandlers,
  ...externalLinkHandlers,
  ...emailListHandlers,
  ...emailHandlers,
  ...emailSourceHandlers,
  ...installationHandlers,
  ...siteHandlers,
  ...doctorHandlers,
  ...explainHandlers,
  ...keyHandlers,
  ...liveHandlers,
  ...overviewHandlers,
  ...queueHandlers,
  ...requestHandlers,
  ...returnedMailHandlers,
  ...signInHandlers,
  ...linkHandlers,
  ...newPasswordHandlers,
  ...openIdHandlers,
  ...sessionHandlers,
  ...startHandlers,
  ...allowedHandlers,
  ...suppressionFileHandlers,
  ...suppressionHandlers,
  ...peopleHandlers,
  ...teamHandlers,
  ...webhookMessageHandlers,
  ...webhookHandlers,
}

export function consoleEndpoints(core: ConsoleCore): Endpoint[] {
  return endpointsOf(CONSOLE_ROUTES, HANDLERS, core)
}
