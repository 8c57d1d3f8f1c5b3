import { type Migration, migration } from '../../migration.ts'
import { sql as schema } from './0001-schema.ts'
import { sql as siteReports } from './0002-site-reports.ts'
import { sql as alerts } from './0003-alerts.ts'
import { sql as keyUse } from './0004-key-use.ts'
import { sql as giveUpTime } from './0005-give-up-time.ts'
import { sql as returnPath } from './0006-return-path.ts'
import { sql as inboundMail } from './0007-inbound-mail.ts'
import { sql as domainReports } from './0008-domain-reports.ts'
import { sql as suppressionScope } from './0009-suppression-scope.ts'
import { sql as sourcePools } from './0010-source-pools.ts'
import { sql as sitePauses } from './0011-site-pauses.ts'
import { sql as contentRetention } from './0012-content-retention.ts'
import { sql as dkimDelegation } from './0013-dkim-delegation.ts'
import { sql as companyLogos } from './0014-company-logos.ts'
import { sql as reportEvents } from './0015-report-events.ts'
import { sql as companyNames } from './0016-company-names.ts'
import { sql as pauseEnds } from './0017-pause-ends.ts'
import { sql as policyOrganizations } from './0018-policy-organizations.ts'
import { sql as nodeSources } from './0019-node-sources.ts'
import { sql as endedPauses } from './0020-ended-pauses.ts'
import { sql as memberAdvice } from './0021-member-advice.ts'
import { sql as rawFiles } from './0022-raw-files.ts'
import { sql as inboundShares } from './0023-inbound-shares.ts'
import { sql as inboundClients } from './0024-inbound-clients.ts'
import { sql as dmarcSums } from './0025-dmarc-sums.ts'
import { sql as reportAuthors } from './0026-report-authors.ts'
import { sql as wholeMails } from './0027-whole-mails.ts'
import { sql as alertChannels } from './0028-alert-channels.ts'
import { sql as tlsByMessage } from './0029-tls-by-message.ts'

/** In the order in which they are applied. A released migration is never changed: new ones are added after it. */
export const MIGRATIONS: readonly Migration[] = [
  migration('0001-schema', schema),
  migration('0002-site-reports', siteReports),
  migration('0003-alerts', alerts),
  migration('0004-key-use', keyUse),
  migration('0005-give-up-time', giveUpTime),
  migration('0006-return-path', returnPath),
  migration('0007-inbound-mail', inboundMail),
  migration('0008-domain-reports', domainReports),
  migration('0009-suppression-scope', suppressionScope),
  migration('0010-source-pools', sourcePools),
  migration('0011-site-pauses', sitePauses),
  migration('0012-content-retention', contentRetention),
  migration('0013-dkim-delegation', dkimDelegation),
  migration('0014-company-logos', companyLogos),
  migration('0015-report-events', reportEvents),
  migration('0016-company-names', companyNames),
  migration('0017-pause-ends', pauseEnds),
  migration('0018-policy-organizations', policyOrganizations),
  migration('0019-node-sources', nodeSources),
  migration('0020-ended-pauses', endedPauses),
  migration('0021-member-advice', memberAdvice),
  migration('0022-raw-files', rawFiles),
  migration('0023-inbound-shares', inboundShares),
  migration('0024-inbound-clients', inboundClients),
  migration('0025-dmarc-sums', dmarcSums),
  migration('0026-report-authors', reportAuthors),
  migration('0027-whole-mails', wholeMails),
  migration('0028-alert-channels', alertChannels),
  migration('0029-tls-by-message', tlsByMessage),
]
