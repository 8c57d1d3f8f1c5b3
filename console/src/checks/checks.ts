/** What a message could do better, each with why it matters and what to do. Pure: everything is handed in. */
import { type HtmlFacts, htmlFacts } from './html-facts.ts'

/** `bad`: it will do harm. `poor`: it may. `good`: it was looked at, and is right. */
export type Grade = 'bad' | 'poor' | 'good'

export interface Check {
  id: string
  grade: Grade
  what: string
  why: string
  /** Empty where there is nothing to do. */
  todo: string
}

export interface Checked {
  subject: string
  /** Addresses of From, without names. */
  from: string
  html: string | null
  text: string | null
  /** Octets of the whole message. */
  size: number
  fields: readonly (readonly string[])[]
  /** `d=` of its DKIM signatures. */
  signedBy: readonly string[]
}

/** Gmail cuts a message behind so much HTML. */
const CLIPPED_AT = 102 * 1024
const LARGE = 10 * 1024 * 1024
const LONG_SUBJECT = 70
const SHORT_PREHEADER = 30

export interface Findings {
  checks: Check[]
  facts: HtmlFacts
}

export function checkMessage(message: Checked): Findings {
  const facts = htmlFacts(message.html ?? '')
  const checks = [
    textPart(message),
    clipping(message),
    size(message),
    subject(message),
    preheader(message, facts),
    alternatives(facts),
    alignment(message),
    unsubscribe(message),
    active(facts),
    insecure(facts),
    misleading(facts),
  ].filter((check) => check !== null)
  const order: readonly Grade[] = ['bad', 'poor', 'good']
  return { facts, checks: checks.toSorted((a, b) => order.indexOf(a.grade) - order.indexOf(b.grade)) }
}

function textPart({ html, text }: Checked): Check {
  const there = text !== null && text.trim() !== ''
  return {
    id: 'text',
    grade: there ? 'good' : 'poor',
    what: there ? (html === null ? 'It is text alone.' : 'It has a text part.') : 'It has no text part.',
    why: 'Watches, screen readers and filters read the text. Mail of HTML alone is taken for spam more often.',
    todo: there
      ? ''
      : 'Send text beside the HTML, or leave it out of the request: then it is made of the HTML.',
  }
}

function clipping({ html }: Checked): Check | null {
  if (html === null) return null
  const octets = new TextEncoder().encode(html).length
  const grade = octets > CLIPPED_AT ? 'bad' : octets > CLIPPED_AT * 0.9 ? 'poor' : 'good'
  return {
    id: 'clipping',
    grade,
    what: `The HTML takes ${Math.ceil(octets / 1024).toLocaleString('en')} KB of the 102 KB that Gmail shows.`,
    why: 'Gmail cuts off what is behind that, often with the footer and its link to unsubscribe.',
    todo: grade === 'good' ? '' : 'Take out comments, unused styles and pictures in data: URLs, or say less.',
  }
}

function size({ size }: Checked): Check {
  const large = size > LARGE
  return {
    id: 'size',
    grade: large ? 'poor' : 'good',
    what: `The whole message has ${Math.ceil(size / 1024).toLocaleString('en')} KB.`,
    why: 'Many servers refuse more than 10 to 25 MB, and large mail is slow on phones.',
    todo: large ? 'Link to large files instead of attaching them.' : '',
  }
}

function subject({ subject: text }: Checked): Check {
  const length = [...text].length
  if (text.trim() === '') {
    return {
      id: 'subject',
      grade: 'bad',
      what: 'It has no subject.',
      why: 'Readers do not know what it is, and filters take it for spam.',
      todo: 'Give it a subject.',
    }
  }
  const shouts = length > 10 && text === text.toUpperCase() && text !== text.toLowerCase()
  const long = length > LONG_SUBJECT
  return {
    id: 'subject',
    grade: long || shouts ? 'poor' : 'good',
    what: shouts ? 'The subject is in capitals.' : `The subject has ${length} characters.`,
    why: shouts
      ? 'It reads as shouting, and filters count it against a message.'
      : `Lists show about 40 on a phone and ${LONG_SUBJECT} on a desk.`,
    todo: shouts ? 'Write it as a sentence.' : long ? 'Say what matters in its first words.' : '',
  }
}

function preheader({ html }: Checked, { text }: HtmlFacts): Check | null {
  if (html === null) return null
  const begin = text.trim().slice(0, 100)
  const poor =
    begin.length < SHORT_PREHEADER || /view (it |this )?(email |mail )?in (your|a) browser/i.test(begin)
  return {
    id: 'preheader',
    grade: poor ? 'poor' : 'good',
    what:
      begin === ''
        ? 'There is no text to show beside the subject.'
        : `Lists show beside the subject: ${begin}`,
    why: 'Mail programs show the first words of a message in their lists.',
    todo: poor ? 'Begin the body with a sentence that says more than the subject does.' : '',
  }
}

function alternatives({ images }: HtmlFacts): Check | null {
  if (images.length === 0) return null
  const without = images.filter(({ alt, tiny }) => alt === null && !tiny).length
  return {
    id: 'alt',
    grade: without > 0 ? 'poor' : 'good',
    what:
      without > 0
        ? `${without} of ${images.length} images have no alt text.`
        : 'All images have an alt text.',
    why: 'Many programs load no images at first, and screen readers never see them.',
    todo: without > 0 ? 'Give each an alt that says what it shows; an empty one where it is decoration.' : '',
  }
}

function alignment({ from, signedBy }: Checked): Check {
  const domain = from.slice(from.lastIndexOf('@') + 1).toLowerCase()
  const aligned = signedBy.some(
    (signer) => domain === signer || domain.endsWith(`.${signer}`) || signer.endsWith(`.${domain}`),
  )
  return {
    id: 'alignment',
    grade: aligned ? 'good' : 'bad',
    what: aligned
      ? `The DKIM signature is aligned with From (${domain}).`
      : signedBy.length === 0
        ? 'No DKIM key signs it.'
        : `No DKIM signature (${signedBy.join(', ')}) is aligned with From (${domain}).`,
    why: 'DMARC counts a signature only if its domain is that of From. Large mailbox providers require it.',
    todo: aligned ? '' : 'Send from the domain whose records are published, or add this one.',
  }
}

function unsubscribe({ fields }: Checked): Check {
  const of = (wanted: string) => fields.find(([name = '']) => name.toLowerCase() === wanted)?.[1]
  const list = of('list-unsubscribe')
  const oneClick = /List-Unsubscribe=One-Click/i.test(of('list-unsubscribe-post') ?? '')
  const good = list !== undefined && oneClick && /<https:/i.test(list)
  return {
    id: 'unsubscribe',
    grade: good ? 'good' : 'poor',
    what: good
      ? 'It can be unsubscribed from with one click.'
      : list === undefined
        ? 'It has no List-Unsubscribe header.'
        : 'Its List-Unsubscribe does not work with one click (RFC 8058).',
    why: 'Gmail and Yahoo require it of senders of 5,000 or more marketing messages a day.',
    todo: good
      ? ''
      : 'For newsletters, turn on unsubscribe tracking of the domain, and Postroad adds it. Receipts and password resets need none.',
  }
}

function active({ scripts, forms, embedded }: HtmlFacts): Check | null {
  if (scripts + forms + embedded === 0) return null
  const found = [scripts > 0 && 'scripts', forms > 0 && 'forms', embedded > 0 && 'frames or media'].filter(
    (each) => each !== false,
  )
  return {
    id: 'active',
    grade: scripts > 0 ? 'bad' : 'poor',
    what: `There are ${found.join(', ')} in it.`,
    why: 'Mail programs take them out or do not run them; filters count them against a message.',
    todo: 'Link to a page that has them.',
  }
}

function insecure({ links, images }: HtmlFacts): Check | null {
  const plain = [...links, ...images].filter(({ url }) => /^http:/i.test(url)).length
  if (plain === 0) return null
  return {
    id: 'insecure',
    grade: 'poor',
    what: `${plain} ${plain === 1 ? 'address is' : 'addresses are'} not encrypted (http:).`,
    why: 'Browsers warn of them, and mail programs do not show such images.',
    todo: 'Use https: addresses.',
  }
}

/** A link whose text is one address, and which leads to another. */
function misleading({ links }: HtmlFacts): Check | null {
  const wrong = links.filter(({ url, text }) => {
    const shown = /^\s*(?:https?:\/\/)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?:[/?#]\S*)?\s*$/i.exec(text)?.[1]
    if (shown === undefined) return false
    try {
      const { hostname } = new URL(url)
      const bare = (host: string) => host.toLowerCase().replace(/^www\./, '')
      return hostname !== '' && bare(hostname) !== bare(shown)
    } catch {
      return false
    }
  }).length
  if (wrong === 0) return null
  return {
    id: 'misleading',
    grade: 'bad',
    what: `${wrong} ${wrong === 1 ? 'link shows' : 'links show'} one address and lead to another.`,
    why: 'That is how phishing works, and filters look for it. Links that count clicks do it, too.',
    todo: 'Show words instead of an address, or the address that it leads to.',
  }
}
