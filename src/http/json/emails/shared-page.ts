/** The page around the frame of a shared email. */
import type { Answer } from '../../answer.ts'
import { escapedHtml, htmlPages } from '../../html-page.ts'
import { HEAD_FIELDS, type Head } from '../../shown-emails/head.ts'

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:1.5rem auto;padding:0 1rem;color:#1c2733;background:#fff}' +
  'dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1rem}dt{color:#5a6875}dd{margin:0;overflow-wrap:anywhere}' +
  'iframe{width:100%;height:75vh;border:1px solid #c3ccd4;background:#fff}small{color:#5a6875}' +
  '@media(prefers-color-scheme:dark){body{color:#dde4ea;background:#14191e}dt,small{color:#93a1ad}a{color:#7cc4ff}}'

const page = htmlPages({
  style: STYLE,
  frames: true,
  headers: { 'x-robots-tag': 'noindex' },
})

interface SharedEmail {
  head: Head | undefined
  /** Why the email could not be read. */
  trouble: string | undefined
  /** The query of the link, and when it ends: Unix seconds. */
  link: string
  end: number
  /** Whether pictures from other servers are shown. */
  remote: boolean
}

export function sharedPage({ head, trouble, link, end, remote }: SharedEmail): Answer {
  const fields = HEAD_FIELDS.filter((name) => head !== undefined && head[name] !== '').map(
    (name) => `<dt>${name}<dd>${escapedHtml(head![name])}`,
  )
  const source = escapedHtml(`?${link}&shown=content${remote ? '&remote=1' : ''}`)
  const pictures = remote
    ? ''
    : ` <a href="${escapedHtml(`?${link}&remote=1`)}">Show images from other servers</a>`
  const until = `${new Date(end * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const content = `<dl>${fields.join('')}</dl>
${trouble === undefined ? '' : `<p>${escapedHtml(trouble)}</p>`}
<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" src="${source}" title="The email"></iframe>
<p><small>A copy of an email, for anyone who has this link, until ${until}.${pictures}</small></p>`
  return page({ title: head?.Subject || 'An email', content })
}
