import { type Migration, migration } from '../../migration.ts'
import { sql as alerts } from '../../migrations/0003-alerts.ts'
import { sql as keyUse } from '../../migrations/0004-key-use.ts'
import { sql as giveUpTime } from '../../migrations/0005-give-up-time.ts'
import { sql as returnPath } from '../../migrations/0006-return-path.ts'
import { sql as domainReports } from '../../migrations/0008-domain-reports.ts'
import { sql as contentRetention } from '../../migrations/0012-content-retention.ts'
import { sql as companyLogos } from '../../migrations/0014-company-logos.ts'
import { sql as companyNames } from '../../migrations/0016-company-names.ts'
import { sql as pauseEnds } from '../../migrations/0017-pause-ends.ts'
import { sql as policyOrganizations } from '../../migrations/0018-policy-organizations.ts'
import { sql as nodeSources } from '../../migrations/0019-node-sources.ts'
import { sql as endedPauses } from '../../migrations/0020-ended-pauses.ts'
import { sql as memberAdvice } from '../../migrations/0021-member-advice.ts'
import { sql as rawFiles } from '../../migrations/0022-raw-files.ts'
import { sql as inboundShares } from '../../migrations/0023-inbound-shares.ts'
import { sql as inboundClients } from '../../migrations/0024-inbound-clients.ts'
import { sql as wholeMails } from '../../migrations/0027-whole-mails.ts'
import { sql as alertChannels } from '../../migrations/0028-alert-channels.ts'
import { sql as setupChecks } from '../../migrations/0031-setup-checks.ts'
import { inSqlite } from '../../schema-types.ts'
import { sql as schema } from './0001-schema.ts'
import { sql as siteReports } from './0002-site-reports.ts'
import { sql as inboundMail } from './0007-inbound-mail.ts'
import { sql as suppressionScope } from './0009-suppression-scope.ts'
import { sql as sourcePools } from './0010-source-pools.ts'
import { sql as sitePauses } from './0011-site-pauses.ts'
import { sql as dkimDelegation } from './0013-dkim-delegation.ts'
import { sql as reportEvents } from './0015-report-events.ts'
import { sql as dmarcSums } from './0025-dmarc-sums.ts'
import { sql as reportAuthors } from './0026-report-authors.ts'
import { sql as announcements } from './0029-announcements.ts'
import { sql as tlsByMessage } from './0030-tls-by-message.ts'

/** In the order in which they are applied. A released migration is never changed: new ones are added after it. */
export const MIGRATIONS: readonly Migration[] = [
  migration('0001-schema', schema),
  migration('0002-site-reports', siteReports),
  migration('0003-alerts', inSqlite(alerts)),
  migration('0004-key-use', inSqlite(keyUse)),
  migration('0005-give-up-time', inSqlite(giveUpTime)),
  migration('0006-return-path', inSqlite(returnPath)),
  migration('0007-inbound-mail', inboundMail),
  migration('0008-domain-reports', inSqlite(domainReports)),
  migration('0009-suppression-scope', suppressionScope),
  migration('0010-source-pools', sourcePools),
  migration('0011-site-pauses', sitePauses),
  migration('0012-content-retention', inSqlite(contentRetention)),
  migration('0013-dkim-delegation', dkimDelegation),
  migration('0014-company-logos', inSqlite(companyLogos)),
  migration('0015-report-events', reportEvents),
  migration('0016-company-names', inSqlite(companyNames)),
  migration('0017-pause-ends', inSqlite(pauseEnds)),
  migration('0018-policy-organizations', inSqlite(policyOrganizations)),
  migration('0019-node-sources', inSqlite(nodeSources)),
  migration('0020-ended-pauses', inSqlite(endedPauses)),
  migration('0021-member-advice', inSqlite(memberAdvice)),
  migration('0022-raw-files', inSqlite(rawFiles)),
  migration('0023-inbound-shares', inSqlite(inboundShares)),
  migration('0024-inbound-clients', inSqlite(inboundClients)),
  migration('0025-dmarc-sums', dmarcSums),
  migration('0026-report-authors', reportAuthors),
  migration('0027-whole-mails', inSqlite(wholeMails)),
  migration('0028-alert-channels', inSqlite(alertChannels)),
  migration('0029-announcements', announcements),
  migration('0030-tls-by-message', tlsByMessage),
  migration('0031-setup-checks', inSqlite(setupChecks)),
]
