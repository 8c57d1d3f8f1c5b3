/**
 * Block lists of IP addresses: the words by which replies name each list, its DNS zone, and where to ask for removal.
 */

export interface BlockList {
  /** Completes “the block list of …”. */
  name: string
  /** Where to ask for removal. */
  removal: string
}

/** A list that can be asked about an address (RFC 5782). */
export interface BlockListZone extends BlockList {
  id: string
  zone: string
  /** Whether it lists IPv6 addresses. */
  ipv6: boolean
}

const zone = (id: string, name: string, domain: string, ipv6: boolean, removal: string): BlockListZone => ({
  id,
  name,
  zone: domain,
  ipv6,
  removal,
})

const SPAMHAUS = zone('spamhaus-zen', 'Spamhaus ZEN', 'zen.spamhaus.org', true, 'https://check.spamhaus.org/')
const BARRACUDA = zone(
  'barracuda',
  'Barracuda',
  'b.barracudacentral.org',
  false,
  'https://www.barracudacentral.org/rbl/removal-request',
)
const SPAMCOP = zone('spamcop', 'SpamCop', 'bl.spamcop.net', false, 'https://www.spamcop.net/bl.shtml')
const PSBL = zone('psbl', 'PSBL', 'psbl.surriel.com', false, 'https://psbl.org/')
const MAILSPIKE = zone(
  'mailspike',
  'Mailspike',
  'bl.mailspike.net',
  false,
  'https://www.mailspike.org/iplookup.html',
)

/** The lists that many receivers use, in the order in which they are asked. */
export const BLOCK_LIST_ZONES: readonly BlockListZone[] = [SPAMHAUS, BARRACUDA, SPAMCOP, PSBL, MAILSPIKE]

const named = ({ name, removal }: BlockList): BlockList => ({ name, removal })

/** Each pattern is searched for in the words of a reply in lower case; the first that matches counts. */
const LISTS: readonly [pattern: RegExp, list: BlockList][] = [
  [/\bspamhaus\b/, { name: 'Spamhaus', removal: SPAMHAUS.removal }],
  [/\bspamcop\b/, named(SPAMCOP)],
  [/\bbarracuda(?:central)?\b/, { name: 'Barracuda Central', removal: BARRACUDA.removal }],
  [
    /\bsorbs\b/,
    { name: 'SORBS', removal: 'https://www.sorbs.net/ (closed in 2024: tell the postmaster there)' },
  ],
  [/\babusix\b|\bmail\.abusix\b/, { name: 'Abusix', removal: 'https://lookup.abusix.com/' }],
  [/\bcloudmark\b/, { name: 'Cloudmark', removal: 'https://csi.cloudmark.com/en/reset/' }],
  [/\btrend ?micro\b/, { name: 'Trend Micro ERS', removal: 'https://servicecentral.trendmicro.com/' }],
  [
    /\bipcheck\.proofpoint\b|\bpphosted\b|\bproofpoint\b/,
    { name: 'Proofpoint', removal: 'https://ipcheck.proofpoint.com/' },
  ],
  [/\bsenderscore\b|\breturn ?path\b/, { name: 'Sender Score', removal: 'https://senderscore.org/' }],
  [
    /\btalosintelligence\b|\bsenderbase\b/,
    { name: 'Cisco Talos', removal: 'https://talosintelligence.com/' },
  ],
  [/\buceprotect\b/, { name: 'UCEPROTECT', removal: 'https://www.uceprotect.net/en/rblcheck.php' }],
  [/\binvaluement\b/, { name: 'invaluement', removal: 'https://www.invaluement.com/removal/' }],
  [/\bmailspike\b/, named(MAILSPIKE)],
  [/\bnixspam\b/, { name: 'NiX Spam', removal: 'https://www.nixspam.net/' }],
  [/\bpsbl\b|\bsurriel\b/, named(PSBL)],
  // Outlook.com "part of their network is on our block list (S3150)"; Exchange Online "banned sending IP".
  [/\bs31[45]0\b|\bolcsupport\b/, { name: 'Outlook.com', removal: 'https://olcsupport.office.com/' }],
  [
    /\bbanned sending ip\b|\bdelist(?:@|\.)|\bsender\.office\.com\b/,
    { name: 'Microsoft 365', removal: 'https://sender.office.com/' },
  ],
  [
    /\btss0\d\b|\bpostmaster\.yahoo(?:inc)?\b|\bsenders\.yahoo/,
    { name: 'Yahoo', removal: 'https://senders.yahooinc.com/contact/' },
  ],
  [
    /\bip[=:] ?\S{0,45} - a problem occurred\b/,
    { name: 'T-Online', removal: 'https://postmaster.t-online.de/' },
  ],
  [
    /\bpostmaster\.(?:gmx|web\.de|1und1)\b/,
    { name: 'GMX and WEB.DE', removal: 'https://postmaster.gmx.net/' },
  ],
  [/\batt\.net\/blocks\b/, { name: 'AT&T', removal: 'https://att.net/blocks' }],
  [/\bofr\w{0,4}_103\b/, { name: 'Orange', removal: 'https://postmaster.orange.fr/' }],
  [/\bxfinity\b|\bcomcast\b/, { name: 'Comcast', removal: 'https://spa.xfinity.com/report' }],
]

/** The list that the words of a refusal name; null: they name no known list. */
export function blockListIn(words: string): BlockList | null {
  const text = words.slice(0, 1_000).toLowerCase()
  return LISTS.find(([pattern]) => pattern.test(text))?.[1] ?? null
}
