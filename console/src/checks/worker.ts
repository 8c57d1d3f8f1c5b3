/** Runs checks beside the page: what a message holds may take long, and who waits too long ends the worker. */
import { type Checked, checkMessage, type Findings } from './checks.ts'
import { CLIENTS, type Unsupported, unsupportedIn } from './clients.ts'

export type Answer =
  | { kind: 'findings'; findings: Findings }
  /** Null: the HTML could not be read, or is too large. */
  | { kind: 'unsupported'; unsupported: Unsupported[] | null }

/** Characters of HTML that are held against the data of mail programs. */
const LONGEST = 256 * 1024

const answer = (text: Answer) => self.postMessage(text)

self.onmessage = ({ data }: MessageEvent<Checked>) => {
  answer({ kind: 'findings', findings: checkMessage(data) })
  void unsupportedOf(data.html).then((unsupported) => answer({ kind: 'unsupported', unsupported }))
}

/** The data of mail programs is large: what needs none of it is said before. */
async function unsupportedOf(html: string | null): Promise<Unsupported[] | null> {
  if (html === null) return []
  if (html.length > LONGEST) return null
  try {
    const { doIUseEmail } = await import('@jsx-email/doiuse-email')
    const result = doIUseEmail(html, { emailClients: CLIENTS })
    return unsupportedIn(result.success ? [] : result.errors)
  } catch {
    return null
  }
}
