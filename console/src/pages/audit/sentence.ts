/** What was changed, as a sentence without its subject: `created the API key`, and then what it was done to. */
import type { Static } from 'typebox'
import type { AUDIT_ENTRY } from '../../../../src/http/console/contract/audit.ts'
import { browserOf } from '../account/browser-name.ts'
import { ROLE_WORDS } from '../team/roles.ts'

type AuditEntry = Static<typeof AUDIT_ENTRY>
type Detail = AuditEntry['detail']
/** What was done, and how it goes on behind what it was done to, with these of what was given. */
type Phrase = readonly [before: string, after?: (detail: Detail) => string, ...said: string[]]

const PHRASES: Readonly<Record<string, Phrase>> = {
  createCompany: ['created the company'],
  limitCompany: ['changed the limits of'],
  addDomain: ['added the domain'],
  updateDomain: ['changed the settings of'],
  activateDomain: ['switched sending on for'],
  suspendDomain: ['suspended sending for'],
  removeDomain: ['removed the domain'],
  verifyDomain: [
    'checked the DNS records of',
    ({ status, sending }) => `: ${status}, sending ${sending}`,
    'status',
    'sending',
  ],
  addDkimKey: ['added a DKIM key to', named('selector'), 'selector'],
  switchDkimKey: [
    'switched a DKIM key of',
    ({ selector, active }) => ` ${active ? 'on' : 'off'} (${selector})`,
    'selector',
    'active',
  ],
  renameDkimKey: [
    'renamed a DKIM key of',
    ({ selector, to }) => ` from ${selector} to ${to}`,
    'selector',
    'to',
  ],
  removeDkimKey: ['removed a DKIM key of', named('selector'), 'selector'],
  createKey: ['created the API key'],
  renameKey: ['renamed the API key', ({ to }) => ` to “${to}”`, 'to'],
  revokeKey: ['revoked the API key'],
  addWebhook: ['added a webhook to'],
  updateWebhook: [
    'changed the webhook to',
    ({ enabled }) => (enabled === true ? ': switched on' : enabled === false ? ': switched off' : ''),
    'enabled',
  ],
  removeWebhook: ['removed the webhook to'],
  rotateWebhookSecret: ['made another secret for the webhook to'],
  rotateSigningKey: ['made another signing key for'],
  addSuppression: ['suppressed'],
  addSuppressions: ['suppressed'],
  removeSuppression: ['took off the suppression list:'],
  removeUnsubscribedTag: ['took off the suppression list:', ({ tag }) => `, for the tag “${tag}”`, 'tag'],
  clearSuppressions: ['cleared the suppression list of'],
  importSuppressions: ['imported suppressions:'],
  addAllowed: ['put on the allow list:'],
  removeAllowed: ['took off the allow list:'],
  importAllowed: ['imported an allow list:'],
  describeTag: ['described the tag'],
  removeTag: ['removed the tag'],
  setRoute: ['set the relay of', ({ url }) => (url === undefined ? '' : ` to ${url}`), 'url'],
  removeRoute: ['removed the relay of'],
  pause: ['paused'],
  resume: ['resumed'],
  invite: ['invited', ({ role }) => ` as ${roleWord(role)}`, 'role'],
  withdrawInvitation: ['withdrew the invitation of'],
  acceptInvitation: ['joined the company under', ({ role }) => ` as ${roleWord(role)}`, 'role'],
  declineInvitation: ['declined the invitation of', ({ role }) => ` as ${roleWord(role)}`, 'role'],
  confirmMembership: ['confirmed that they belong to the company:'],
  leaveCompany: ['left the company:'],
  setRole: ['gave another role to', ({ role }) => `: ${roleWord(role)}`, 'role'],
  removeMember: ['removed from the company:'],
  inviteOperator: ['invited as operator:'],
  setOperator: [
    'changed what this person may do:',
    ({ operator }) => (operator ? ' is an operator now' : ' is an operator no more'),
    'operator',
  ],
  removePerson: ['removed the account of'],
  makeSignInLink: ['made a sign-in link for'],
  changeProfile: ['changed the profile of'],
  changePassword: ['set the password of'],
  turnOnTwoStepVerification: ['turned on two-step verification for'],
  turnOffTwoStepVerification: ['turned off two-step verification for'],
  addPasskey: ['added a passkey to', named('passkey'), 'passkey'],
  renamePasskey: ['renamed a passkey of', named('passkey'), 'passkey'],
  removePasskey: ['removed a passkey of', named('passkey'), 'passkey'],
  joinIdentity: ['signed in by a provider for the first time:', named('issuer'), 'issuer'],
  connectIdentity: ['connected an account elsewhere with'],
  removeIdentity: ['disconnected an account elsewhere from'],
  signIn: [
    'signed in from',
    ({ way, secondFactor }) => {
      const second = secondFactor === 'app' ? ' and a code' : ` and a ${secondFactor}`
      return ` ${WAYS[String(way)] ?? String(way)}${secondFactor === undefined ? '' : second}`
    },
    ...['way', 'secondFactor'],
  ],
  signOut: ['signed out at'],
  endSession: ['ended the session that began at'],
  endSessions: [
    'signed out everywhere but at',
    ({ count }) => (count === 1 ? ' (1 session)' : ` (${count} sessions)`),
    'count',
  ],
  renewRecoveryCodes: ['made new recovery codes for'],
}

const WAYS: Readonly<Record<string, string>> = {
  link: 'by a link',
  password: 'with a password',
  passkey: 'with a passkey',
  oidc: 'by OpenID Connect',
}

/** What one may look for, as it is said. */
export const ACTIONS: readonly { value: string; label: string }[] = Object.entries(PHRASES)
  .map(([value, [before]]) => {
    const words = before.replace(/:$/, '')
    const isOnly = Object.values(PHRASES).filter(([other]) => other === before).length === 1
    const label = `${words[0]!.toUpperCase()}${words.slice(1)}`
    return { value, label: isOnly ? label : `${label} (${spelled(value)})` }
  })
  .toSorted((a, b) => a.label.localeCompare(b.label))

function named(key: string): (detail: Detail) => string {
  return (detail) => (typeof detail[key] === 'string' ? ` (${detail[key]})` : '')
}

function roleWord(role: unknown): string {
  return ROLE_WORDS[role as keyof typeof ROLE_WORDS]?.label.toLowerCase() ?? String(role)
}

/** `createKey` as `create key`: of what has no phrase of its own. */
function spelled(action: string): string {
  return action.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

/** The sentence, and what was given beside it. */
export function phraseOf({ action, detail }: Pick<AuditEntry, 'action' | 'detail'>): {
  before: string
  after: string
  given: string
} {
  const phrase: Phrase = Object.hasOwn(PHRASES, action) ? PHRASES[action]! : [`did “${spelled(action)}”:`]
  const [before, after, ...said] = phrase
  const given = Object.entries(detail)
    .filter(([name, value]) => !said.includes(name) && value !== null && String(value) !== '')
    .map(([name, value]) => `${name}: ${name === 'browser' ? browserOf(String(value)) : shown(value)}`)
  return { before, after: after?.(detail) ?? '', given: given.join('; ') }
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
