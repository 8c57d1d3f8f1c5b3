import type { Inbound } from '../inbound/inbound.ts'
import { derivedText } from '../intake/derived-text.ts'
import { noHandover } from '../intake/handover.ts'
import { Intake } from '../intake/intake.ts'
import type { SystemMail } from '../intake/system-mail.ts'
import type { WithDelivery } from './delivery.ts'

export type WithIntake = WithDelivery & { intake: Intake; systemMail: SystemMail | null; inbound: Inbound }

export function createIntake({
  settings,
  store,
  accounts,
  workers,
  scheduler,
  metrics,
  log,
}: WithDelivery): Intake {
  return new Intake({
    store,
    accounts,
    handover: scheduler ?? noHandover,
    deriveText: (html, companyId) =>
      derivedText(html, workers, companyId, (error) => {
        // The text part is optional: a message is not refused because it has none.
        log.warn(
          { err: error },
          'Could not derive a text version from the HTML of a message; it is sent without one',
        )
      }),
    limits: settings,
    sourceAddresses: settings.sourceAddresses?.map(({ address }) => address) ?? [],
    metrics,
  })
}
