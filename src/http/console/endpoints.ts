import type { SignInParts } from '../../operate/sign-in.ts'
import type { Endpoint } from '../endpoint.ts'
import { accountEndpoints } from './account.ts'
import { totpEndpoints } from './account-totp.ts'
import { allowedEndpoints } from './allowed.ts'
import { auditEndpoints } from './audit.ts'
import { dkimKeyEndpoints } from './dkim-keys.ts'
import type { ConsoleDocument } from './document.ts'
import { domainRecordEndpoints } from './domain-records.ts'
import { domainEndpoints } from './domains.ts'
import { emailDocuments } from './emails/documents.ts'
import { emailRoutes } from './emails/routes.ts'
import { emailEndpoints } from './emails.ts'
import { installationEndpoints } from './installation.ts'
import { keyEndpoints } from './keys.ts'
import { overviewEndpoints } from './overview.ts'
import { passkeyEndpoints } from './passkeys.ts'
import { peopleEndpoints } from './people.ts'
import { relayEndpoints } from './relays.ts'
import { sessionEndpoints } from './session.ts'
import { sessionBeginEndpoints } from './session-begin.ts'
import { openIdEndpoints } from './session-openid.ts'
import { startEndpoints } from './start.ts'
import { suppressionFileEndpoints } from './suppression-files.ts'
import { suppressionEndpoints } from './suppressions.ts'
import { teamEndpoints } from './team.ts'
import { webhookMessageEndpoints } from './webhook-messages.ts'
import { webhookEndpoints } from './webhooks.ts'

/** Every route of the console: a new one is a line here, and a row in test/http/console/tenants.test.ts. */
export function consoleEndpoints(parts: SignInParts): Endpoint[] {
  return [
    ...sessionEndpoints,
    ...sessionBeginEndpoints(parts),
    ...openIdEndpoints(parts),
    ...accountEndpoints(parts),
    ...totpEndpoints(parts),
    ...passkeyEndpoints(parts),
    ...domainEndpoints,
    ...domainRecordEndpoints,
    ...dkimKeyEndpoints,
    ...relayEndpoints,
    ...keyEndpoints,
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
    ...suppressionFileEndpoints,
    ...allowedEndpoints,
    ...emailRoutes,
  ]
}

/** Those that answer with something else than JSON; a row each, too. */
export function consoleDocuments(): readonly ConsoleDocument[] {
  return [...emailDocuments]
}
