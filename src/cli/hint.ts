/** Words the hint of a verb as the next command. */
import type { Hint } from '../operate/error.ts'

const WHERE_ELSE =
  'Run this command in the directory the service runs in, or set POSTROAD_DATABASE_URL; `postroad serve` and `postroad company create` ' +
  'create a new database.'

/** The text that follows the error's sentence. */
export function hintText(hint: Hint): string {
  switch (hint.verb) {
    case 'openOperation':
      return `. ${WHERE_ELSE}`
    case 'migrateData':
      return '. Correct the path in the first argument, <from>'
    case 'createCompany':
      return `: postroad company create ${shellWord(hint.name)}`
    case 'releaseQuarantined':
      return `; to try it again: postroad queue release ${hint.id}`
    case 'listCompanies':
      return see('company list')
    case 'showCompany':
      return see(`company show ${shellWord(hint.company)}`)
    case 'listDomains':
      return see(hint.company === undefined ? 'domain list' : `domain list --company ${hint.company}`)
    case 'addDomain':
      return hint.company === undefined
        ? `${see('domain list')}, or add it: ${addDomain(hint.domain, 'NAME')}`
        : `; add it first: ${addDomain(hint.domain, shellWord(hint.company))}`
    case 'showDomain':
      return see(`domain show ${hint.domain}`)
    case 'rotateDkimKey':
      return `: postroad domain rotate ${hint.domain}`
    case 'listKeys':
      return see('key list')
    case 'listPeople':
      return see('user list')
    case 'inviteOperator':
      return ': postroad user invite ADDRESS --operator'
    case 'setOperator':
      return `. If this is the right person: postroad user operator ${hint.person}`
    case 'listRoutes':
      return see('route list')
    case 'listPools':
      return see('pool list')
    case 'listSites':
      return see('site list')
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
    case 'listen':
      return `. To forward events to an application on this machine: postroad listen --forward ${shellWord(hint.url)}`
    case 'listSuppressions':
      return see(`suppression list --company ${hint.company}`)
  }
}

function see(command: string): string {
  return `; see: postroad ${command}`
}

function addDomain(domain: string, company: string): string {
  return `postroad domain add ${shellWord(domain)} --company ${company}`
}

/** Quotes a word for a POSIX shell, because names may contain any characters. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  return /["\\$`!]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`
}
