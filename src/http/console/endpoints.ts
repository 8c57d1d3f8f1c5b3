import type { SignInParts } from '../../operate/sign-in.ts'
import type { Endpoint } from '../endpoint.ts'
import { accountEndpoints } from './account/account.ts'
import { identityEndpoints } from './account/identities.ts'
import { membershipEndpoints } from './account/memberships.ts'
import { passkeyEndpoints } from './account/passkeys.ts'
import { totpEndpoints } from './account/totp.ts'
import { auditEndpoints } from './audit.ts'
import { CONSOLE_ROUTES } from './contract/routes.ts'
import type { ConsoleCore } from './core.ts'
import type { ConsoleDocument } from './document.ts'
import { dkimKeyEndpoints } from './domains/dkim-keys.ts'
import { domainEndpoints } from './domains/domains.ts'
import { domainRecordEndpoints } from './domains/records.ts'
import { relayEndpoints } from './domains/relays.ts'
import { emailDocuments } from './emails/documents.ts'
import { emailEndpoints } from './emails/list.ts'
import { emailRoutes } from './emails/routes.ts'
import { installationEndpoints } from './installation.ts'
import { keyWorks } from './keys.ts'
import { overviewEndpoints } from './overview.ts'
import { sessionBeginEndpoints } from './session/begin.ts'
import { linkEndpoints } from './session/links.ts'
import { openIdEndpoints } from './session/openid.ts'
import type { KnownProvider } from './session/provider.ts'
import { sessionEndpoints } from './session/session.ts'
import { startEndpoints } from './start.ts'
import { allowedEndpoints } from './suppressions/allowed.ts'
import { suppressionFileEndpoints } from './suppressions/files.ts'
import { suppressionEndpoints } from './suppressions/suppressions.ts'
import { peopleEndpoints } from './team/people.ts'
import { teamEndpoints } from './team/team.ts'
import { webhookMessageEndpoints } from './webhooks/messages.ts'
import { webhookEndpoints } from './webhooks/webhooks.ts'
import { endpointsOf, type Works } from './work.ts'

const WORKS: Works<typeof CONSOLE_ROUTES> = { ...keyWorks }

export function consoleEndpoints(core: ConsoleCore): Endpoint[] {
  return [...endpointsOf(CONSOLE_ROUTES, WORKS, core), ...declaredEndpoints(core.signIn, core.provider)]
}

export function declaredEndpoints(parts: SignInParts, provider: KnownProvider): Endpoint[] {
  return [
    ...sessionEndpoints,
    ...sessionBeginEndpoints(parts),
    ...linkEndpoints(parts),
    ...openIdEndpoints(parts, provider),
    ...accountEndpoints(parts),
    ...totpEndpoints(parts),
    ...passkeyEndpoints(parts),
    ...membershipEndpoints(parts),
    ...identityEndpoints(parts, provider),
    ...domainEndpoints,
    ...domainRecordEndpoints,
    ...dkimKeyEndpoints,
    ...relayEndpoints,
    ...installationEndpoints,
    ...overviewEndpoints,
    ...startEndpoints,
    ...emailEndpoints,
    ...teamEndpoints,
    ...peopleEndpoints,
    ...auditEndpoints,
    ...webhookEndpoints,
    ...webhookMessageEndpoints,
    ...suppressionEndpoints,
    ...suppressionFileEndpoints(parts),
    ...allowedEndpoints,
    ...emailRoutes,
  ]
}

/** Routes whose answer is not JSON; each has a row, too. */
export function consoleDocuments(): readonly ConsoleDocument[] {
  return [...emailDocuments]
}
