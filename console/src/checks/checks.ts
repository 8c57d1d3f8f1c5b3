/** Checks of a message: each gives a finding, a reason and advice. All are pure functions of the message. */
import type { Check, CheckedEmail, Grade } from './check.ts'
import { type HtmlFacts, htmlFacts } from './html-facts.ts'
import { spamScore } from './spam-score.ts'

/** Gmail clips a message after this many octets of HTML. */
const CLIPPED_AT = 102 * 1024
const LARGE = 10 * 1024 * 1024
const LONG_SUBJECT = 70
const SHORT_PREHEADER = 30

export interface Findings {
  checks: Check[]
  facts: HtmlFacts
}

export function checkMessage(message: CheckedEmail): Findings {
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
  checks.unshift(spamScore(message, facts, checks))
  const order: readonly Grade[] = ['bad', 'poor', 'good']
  return { facts, checks: checks.toSorted((a, b) => order.indexOf(a.grade) - order.indexOf(b.grade)) }
}

function textPart({ html, text }: CheckedEmail): Check {
  const there = text !== null && text.trim() !== ''
  return {
    id: 'text',
    grade: there ? 'good' : 'poor',
    what: there
      ? html === null
        ? 'The message is plain text.'
        : 'The message has a text part.'
      : 'The message has no text part.',
    why: 'Watches, screen readers and filters read the text. Mail without it is classified as spam more often.',
    todo: there
      ? ''
      : 'Send a text/plain part with the HTML. Over the APIs, a request with HTML and no text gets one from Postroad; mail over SMTP and ready MIME messages have to contain it.',
  }
}

function clipping({ html }: CheckedEmail): Check | null {
  if (html === null) return null
  const octets = new TextEncoder().encode(html).length
  const grade = octets > CLIPPED_AT ? 'bad' : octets > CLIPPED_AT * 0.9 ? 'poor' : 'good'
  return {
    id: 'clipping',
    grade,
    what: `The HTML has ${Math.ceil(octets / 1024).toLocaleString('en')} KB. Gmail shows the first 102 KB.`,
    why: 'Gmail clips the rest, often including the footer and its unsubscribe link.',
    todo:
      grade === 'good'
        ? ''
        : 'Remove comments, unused styles and images in data: URLs, or shorten the message.',
  }
}

function size({ size }: CheckedEmail): Check {
  const large = size > LARGE
  return {
    id: 'size',
    grade: large ? 'poor' : 'good',
    what: `The whole message is ${Math.ceil(size / 1024).toLocaleString('en')} KB.`,
    why: 'Many servers refuse messages larger than 10 to 25 MB, and large messages are slow on phones.',
    todo: large ? 'Link to large files instead of attaching them.' : '',
  }
}

function subject({ subject: text }: CheckedEmail): Check {
  const length = [...text].length
  if (text.trim() === '') {
    return {
      id: 'subject',
      grade: 'bad',
      what: 'The message has no subject.',
      why: 'Readers do not know what it is about, and filters take it for spam.',
      todo: 'Add a subject.',
    }
  }
  const shouts = length > 10 && text === text.toUpperCase() && text !== text.toLowerCase()
  const long = length > LONG_SUBJECT
  return {
    id: 'subject',
    grade: long || shouts ? 'poor' : 'good',
    what: shouts ? 'The subject is in capital letters.' : `The subject has ${length} characters.`,
    why: shouts
      ? 'It reads as shouting, and filters count it against a message.'
      : `Mail programs show about 40 on a phone and ${LONG_SUBJECT} on a desktop.`,
    todo: shouts ? 'Write it as a sentence.' : long ? 'Put the important words first.' : '',
  }
}

function preheader({ html }: CheckedEmail, { text }: HtmlFacts): Check | null {
  if (html === null) return null
  const begin = text.trim().slice(0, 100)
  const poor =
    begin.length < SHORT_PREHEADER || /view (it |this )?(email |mail )?in (your|a) browser/i.test(begin)
  return {
    id: 'preheader',
    grade: poor ? 'poor' : 'good',
    what: begin === '' ? 'The message has no preview text.' : `Preview text: ${begin}`,
    why: 'Mail programs show the first words of a message beside its subject.',
    todo: poor ? 'Begin the body with a sentence that adds to the subject.' : '',
  }
}

function alternatives({ images }: HtmlFacts): Check | null {
  if (images.length === 0) return null
  const without = images.filter(({ alt, tiny }) => alt === null && !tiny).length
  return {
    id: 'alt',
    grade: without > 0 ? 'poor' : 'good',
    what:
      without > 0 ? `${without} of ${images.length} images have no alt text.` : 'All images have alt text.',
    why: 'Many mail programs load no images at first, and screen readers read the alt text instead.',
    todo:
      without > 0
        ? 'Describe each image in its alt attribute. Leave the attribute empty for decoration.'
        : '',
  }
}

function alignment({ from, signedBy }: CheckedEmail): Check {
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
        ? 'The message has no DKIM signature.'
        : `The mail is signed by ${signedBy.join(' and ')}, but From is ${domain}.`,
    why: 'DMARC counts a signature only if its domain is aligned with that of From. Large mailbox providers require it.',
    todo: aligned ? '' : `Send from a domain whose records are published, or add ${domain}.`,
  }
}

function unsubscribe({ fields }: CheckedEmail): Check {
  const of = (wanted: string) => fields.find(([name = '']) => name.toLowerCase() === wanted)?.[1]
  const list = of('list-unsubscribe')
  const oneClick = /List-Unsubscribe=One-Click/i.test(of('list-unsubscribe-post') ?? '')
  const good = list !== undefined && oneClick && /<https:/i.test(list)
  return {
    id: 'unsubscribe',
    grade: good ? 'good' : 'poor',
    what: good
      ? 'Recipients can unsubscribe with one click.'
      : list === undefined
        ? 'The message has no List-Unsubscribe header.'
        : 'The List-Unsubscribe header does not support one click (RFC 8058).',
    why: 'Gmail and Yahoo require it from senders of 5,000 or more marketing messages a day.',
    todo: good
      ? ''
      : 'In newsletters, set List-Unsubscribe and List-Unsubscribe-Post (RFC 8058), or send %unsubscribe_url% through the form API, and Postroad adds both. Receipts and password resets do not need them.',
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
    what: `The message contains ${found.join(', ')}.`,
    why: 'Mail programs remove or ignore them, and filters count them against a message.',
    todo: 'Link to a web page that has them.',
  }
}

function insecure({ links, images }: HtmlFacts): Check | null {
  const plain = [...links, ...images].filter(({ url }) => /^http:/i.test(url)).length
  if (plain === 0) return null
  return {
    id: 'insecure',
    grade: 'poor',
    what: `${plain} ${plain === 1 ? 'URL does' : 'URLs do'} not use encryption (http:).`,
    why: 'Browsers warn about such links, and mail programs do not show such images.',
    todo: 'Use https: URLs.',
  }
}

/** Finds links whose text is one address while they lead to another. */
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
    what: `${wrong} ${wrong === 1 ? 'link shows one address but leads' : 'links show one address but lead'} to another.`,
    why: 'Phishing works this way, and filters look for it. Click tracking causes it, too.',
    todo: 'Use words as the text of the link, or the address that it leads to.',
  }
}
