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
    case 'listCompanies':
      return see('company list')
    case 'listDomains':
      return see(hint.company === undefined ? 'domain list' : `domain list --company ${hint.company}`)
    case 'showDomain':
      return see(`domain show ${hint.domain}`)
    case 'listKeys':
      return see('key list')
    case 'listPeople':
      return see('user list')
    case 'inviteOperator':
      return ': postroad user invite ADDRESS --operator'
    case 'setOperator':
      return `. If it is who you believe: postroad user operator ${hint.person}`
    case 'listRoutes':
      return see('route list')
    case 'listEmails':
      return see('email list')
    case 'showEmail':
      return see(`email show ${hint.id}`)
    case 'listQuarantined':
      return see('queue quarantine')
    case 'listWebhooks':
      return see('webhook list')
    case 'enableWebhook':
      return `: postroad webhook enable ${hint.id}`
    case 'listSuppressions':
      return see(`suppression list --company ${hint.company}`)
  }
}

function see(command: string): string {
  return `; see: postroad ${command}`
}
