/** Audit entries as sentences without a subject: `created the API key`, followed by the target. */

import type { Static } from 'typebox'
import type { AUDIT_ENTRY } from '../../../../src/http/console/contract/audit.ts'
import { capitalized } from '../../parts/capitalized.ts'
import { browserOf } from '../account/browser-name.ts'
import { ROLE_WORDS } from '../team/roles.ts'

type SentenceEntry = Static<typeof AUDIT_ENTRY>
type Detail = SentenceEntry['detail']
/** The words before the target, the words after it, and the names of the details that those words contain. */
type ActionPhrase = readonly [before: string, after?: (detail: Detail) => string, ...said: string[]]

const PHRASES: Readonly<Record<string, ActionPhrase>> = {
  createCompany: ['created the company'],
  limitCompany: ['changed the limits of'],
  setLogo: ['changed the logo of'],
  removeLogo: ['removed the logo of'],
  setContentRetention: ['changed how long content is kept of'],
  addDomain: ['added the domain'],
  updateDomain: ['changed the settings of'],
  activateDomain: ['activated sending for'],
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
  rotateDkimKey: ['began to rotate the DKIM key of', named('selector'), 'selector'],
  cancelDkimRotation: ['cancelled the rotation of the DKIM key of'],
  finishDkimRotation: ['switched to the next DKIM key of', named('selector'), 'selector'],
  renewDkimKey: ['made the DKIM key after the next of', named('selector'), 'selector'],
  delegateDkim: [
    'moved the DKIM keys of',
    ({ delegated }) => (delegated ? ' into the zone of the operator' : ' out of the zone of the operator'),
    'delegated',
  ],
  retireDkimKey: ['retired the previous DKIM key of', named('selector'), 'selector'],
  createKey: ['created the API key'],
  renameCompany: ['renamed the company', ({ to }) => ` to “${to}”`, 'to'],
  renameKey: ['renamed the API key', ({ to }) => ` to “${to}”`, 'to'],
  rotateKey: ['rotated the API key'],
  revokeKey: ['revoked the API key'],
  addWebhook: ['added a webhook to'],
  updateWebhook: [
    'changed the webhook to',
    ({ enabled }) => (enabled === true ? ': enabled' : enabled === false ? ': disabled' : ''),
    'enabled',
  ],
  removeWebhook: ['removed the webhook to'],
  rotateWebhookSecret: ['rotated the secret of the webhook to'],
  rotateSigningKey: ['rotated the signing key of'],
  deleteEmails: ['deleted captured emails:'],
  clearEmails: ['deleted captured emails:', ({ deleted }) => ` (${deleted})`, 'deleted'],
  createPool: ['created the address pool'],
  changePool: ['changed the addresses of the pool'],
  removePool: ['removed the address pool'],
  assignPool: [
    'assigned an address pool to',
    ({ pool }) => (pool === null ? ': any address' : `: ${pool}`),
    'pool',
  ],
  warmUpAddress: [
    'set the warm-up of an address in the pool',
    ({ address, day }) => `: ${address}, ${day === null ? 'ended' : `day ${day}`}`,
    'address',
    'day',
  ],
  addSuppression: ['suppressed'],
  addSuppressions: ['suppressed'],
  suppressRecipientsOfEmails: ['suppressed'],
  suppressChosenRecipients: ['suppressed'],
  removeSuppression: ['removed from the suppression list:'],
  removeSuppressionEntry: ['removed from the suppression list:'],
  removeSuppressions: ['removed from the suppression list:'],
  removeUnsubscribedTag: ['removed from the suppression list:', ({ tag }) => `, for the tag “${tag}”`, 'tag'],
  clearSuppressions: ['cleared the suppression list of'],
  importSuppressions: ['imported suppressions:'],
  addAllowed: ['added to the allow list:'],
  removeAllowed: ['removed from the allow list:'],
  importAllowed: ['imported an allow list:'],
  describeTag: ['described the tag'],
  removeTag: ['removed the tag'],
  setRoute: ['set the relay of', ({ url }) => (url === undefined ? '' : ` to ${url}`), 'url'],
  removeRoute: ['removed the relay of'],
  pause: ['paused'],
  resume: ['resumed'],
  invite: ['invited', ({ role }) => ` as ${roleWord(role)}`, 'role'],
  withdrawInvitation: ['withdrew the invitation of'],
  acceptInvitation: ['joined the company with the address', ({ role }) => ` as ${roleWord(role)}`, 'role'],
  declineInvitation: ['declined the invitation of', ({ role }) => ` as ${roleWord(role)}`, 'role'],
  confirmMembership: ['confirmed that they belong to the company:'],
  leaveCompany: ['left the company:'],
  setRole: ['changed the role of', ({ role }) => ` to ${roleWord(role)}`, 'role'],
  removeMember: ['removed from the company:'],
  inviteOperator: ['invited as operator:'],
  setOperator: [
    'changed the operator rights of',
    ({ operator }) => (operator ? ': granted' : ': revoked'),
    'operator',
  ],
  removePerson: ['removed the account of'],
  makeSignInLink: ['created a sign-in link for'],
  changeProfile: ['changed the profile of'],
  changePassword: ['set the password of'],
  resetPassword: ['set a new password, after forgetting the old one, for'],
  turnOnTwoStepVerification: ['turned on two-step verification for'],
  turnOffTwoStepVerification: ['turned off two-step verification for'],
  addPasskey: ['added a passkey to', named('passkey'), 'passkey'],
  renamePasskey: ['renamed a passkey of', named('passkey'), 'passkey'],
  removePasskey: ['removed a passkey of', named('passkey'), 'passkey'],
  joinIdentity: ['signed in through a provider for the first time:', named('issuer'), 'issuer'],
  connectIdentity: ['connected an external account to'],
  removeIdentity: ['disconnected an external account from'],
  signIn: [
    'signed in from',
    ({ way, secondFactor }) => {
      const second = secondFactor === 'app' ? ' and a code' : ` and a ${secondFactor}`
      return ` ${WAYS[String(way)] ?? String(way)}${secondFactor === undefined ? '' : second}`
    },
    'way',
    'secondFactor',
  ],
  signOut: ['signed out at'],
  endSession: ['ended the session from'],
  endSessions: [
    'signed out everywhere except at',
    ({ count }) => (count === 1 ? ' (1 session)' : ` (${count} sessions)`),
    'count',
  ],
  renewRecoveryCodes: ['created new recovery codes for'],
}

const WAYS: Readonly<Record<string, string>> = {
  link: 'with a link',
  password: 'with a password',
  passkey: 'with a passkey',
  oidc: 'with OpenID Connect',
}

/** The actions to filter by, as labels. */
export const ACTIONS: readonly { value: string; label: string }[] = Object.entries(PHRASES)
  .map(([value, [before]]) => {
    const words = before.replace(/:$/, '')
    const isOnly = Object.values(PHRASES).filter(([other]) => other === before).length === 1
    const label = capitalized(words)
    return { value, label: isOnly ? label : `${label} (${spelled(value)})` }
  })
  .toSorted((a, b) => a.label.localeCompare(b.label))

function named(key: string): (detail: Detail) => string {
  return (detail) => (typeof detail[key] === 'string' ? ` (${detail[key]})` : '')
}

function roleWord(role: unknown): string {
  return ROLE_WORDS[role as keyof typeof ROLE_WORDS]?.label.toLowerCase() ?? String(role)
}

/** The words of an action without a phrase: `createKey` as `create key`. */
function spelled(action: string): string {
  return action.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

/** The sentence of an entry, and the details that the sentence does not contain. */
export function phraseOf({ action, detail }: Pick<SentenceEntry, 'action' | 'detail'>): {
  before: string
  after: string
  given: string
} {
  const phrase: ActionPhrase = Object.hasOwn(PHRASES, action)
    ? PHRASES[action]!
    : [`did “${spelled(action)}”:`]
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
