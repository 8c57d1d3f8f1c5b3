/** The next command, for a hint of a verb. */
import type { Hint } from '../operate/error.ts'

const WHERE_ELSE =
  'Run this in the folder the service runs in, or set POSTROAD_DATABASE_URL; `postroad serve` and `postroad company create` ' +
  'make a new one.'

/** What follows the sentence about what went wrong. */
export function hintText(hint: Hint): string {
  switch (hint.verb) {
    case 'openOperation':
      return `. ${WHERE_ELSE}`
    case 'migrateData':
      return '. Correct the path in the first argument, <from>'
    case 'createCompany':
      return `: postroad company create "${hint.name}"`
    case 'releaseQuarantined':
      return `; to try it again: postroad queue release ${hint.id}`
    default:
      return `; see: postroad ${listing(hint)}`
  }
}

type Looking = Exclude<
  Hint,
  { verb: 'openOperation' | 'migrateData' | 'createCompany' | 'releaseQuarantined' }
>

function listing(hint: Looking): string {
  switch (hint.verb) {
    case 'listCompanies':
      return 'company list'
    case 'listDomains':
      return `domain list${hint.company === undefined ? '' : ` --company ${hint.company}`}`
    case 'showDomain':
      return `domain show ${hint.domain}`
    case 'listKeys':
      return 'key list'
    case 'listRoutes':
      return 'route list'
    case 'listEmails':
      return 'email list'
    case 'showEmail':
      return `email show ${hint.id}`
    case 'listQuarantined':
      return 'queue quarantine'
    case 'listSuppressions':
      return `suppression list --company ${hint.company}`
  }
}
